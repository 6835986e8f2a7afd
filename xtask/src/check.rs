//! `cargo x check`: what can be known without running the product.

use crate::step::{Outcome, Program};
use crate::{docs, node, tidy};

pub(crate) fn run() -> Outcome {
    format()?;
    tidy::run()?;
    docs::run(&["--check".to_owned()])?;
    clippy()?;
    web()
}

pub(crate) fn format() -> Outcome {
    Program::new("cargo", &["fmt", "--all", "--check"]).run("checking the format of Rust files")
}

pub(crate) fn clippy() -> Outcome {
    Program::new(
        "cargo",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    )
    .run("linting Rust")
}

/// Lints, types and format of everything in TypeScript.
pub(crate) fn web() -> Outcome {
    node::install()?;
    for (script, title) in [
        ("format:check", "checking the format of web files"),
        ("lint", "linting the web app"),
        ("typecheck", "checking the types of the web app"),
    ] {
        Program::new(
            "npm",
            &["run", "--silent", script, "--workspaces", "--if-present"],
        )
        .run(title)?;
    }
    Ok(())
}
