//! The browser of the end-to-end tests: the system's Chromium.

use std::path::Path;

use crate::step::{Failure, Outcome, Program, has};

/// Makes sure that Chromium is installed; on Debian as root by `apt-get`, else by advice.
pub(crate) fn install() -> Outcome {
    let given = std::env::var_os("CHROMIUM").is_some_and(|path| Path::new(&path).is_file());
    if given
        || ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .any(has)
    {
        return Ok(());
    }
    let root = Program::new("id", &["-u"])
        .output()
        .is_some_and(|id| id.trim() == "0");
    if !root || !has("apt-get") {
        return Err(Failure::new(
            "the end-to-end tests need Chromium: install it (Debian: `sudo apt-get install \
             chromium`) or set CHROMIUM to its path",
        ));
    }
    // Fonts are only recommended by the package, and a page without any has no text.
    let install = [
        "install",
        "--yes",
        "--no-install-recommends",
        "chromium",
        "fonts-liberation",
    ];
    let apt = || Program::new("apt-get", &install).env("DEBIAN_FRONTEND", "noninteractive");
    apt().run("installing Chromium").or_else(|_| {
        Program::new("apt-get", &["update"]).run("updating package lists")?;
        apt().run("installing Chromium")
    })
}
