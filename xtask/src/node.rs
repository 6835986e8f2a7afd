//! Node: that it is there, that its packages are installed, that the web app is built. Work is
//! skipped when the files it depends on have not changed.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::root;
use crate::step::{Failure, Outcome, Program};

/// Oldest Node that every package of the lock file runs on.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// Stops with advice unless a usable Node is installed.
pub(crate) fn require() -> Outcome {
    let advice = "Install Node 20.19 or newer (https://nodejs.org), then run the command again.";
    let printed = Program::new("node", &["--version"])
        .output()
        .ok_or_else(|| Failure::new(format!("Node was not found. {advice}")))?;
    let mut parts = printed
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map_while(|part| part.parse().ok());
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < OLDEST_NODE {
        return Err(Failure::new(format!(
            "Node {} is too old. {advice}",
            printed.trim()
        )));
    }
    Ok(())
}

/// Installs the packages of `package-lock.json`, if it changed since the last time.
pub(crate) fn install() -> Outcome {
    require()?;
    let inputs = [
        "package.json",
        "package-lock.json",
        "web/package.json",
        "e2e/package.json",
    ];
    when_changed("node_modules/.installed", &inputs, || {
        Program::new(
            "npm",
            &["ci", "--prefer-offline", "--no-audit", "--no-fund"],
        )
        .run("installing npm packages (a minute the first time)")
    })
}

/// Builds the web app into `web/dist`, if its sources changed since the last time.
pub(crate) fn build_web() -> Outcome {
    install()?;
    let inputs = [
        "package-lock.json",
        "web/src",
        "web/public",
        "web/index.html",
        "web/package.json",
        "web/vite.config.ts",
        "web/tsconfig.json",
    ];
    when_changed("web/dist/.built", &inputs, || {
        Program::new("npm", &["run", "build", "--workspace", "web"]).run("building the web app")
    })
}

/// Runs `work` unless `stamp` holds the digest of `inputs`; writes it after success.
fn when_changed(stamp: &str, inputs: &[&str], work: impl FnOnce() -> Outcome) -> Outcome {
    let stamp = root().join(stamp);
    let digest = digest(inputs)?;
    if fs::read_to_string(&stamp).is_ok_and(|known| known == digest) {
        return Ok(());
    }
    work()?;
    Ok(fs::write(&stamp, digest)?)
}

fn digest(inputs: &[&str]) -> Result<String, Failure> {
    let mut hasher = Sha256::new();
    for input in inputs {
        add(&mut hasher, &root().join(input))?;
    }
    Ok(hex::encode(hasher.finalize()))
}

fn add(hasher: &mut Sha256, path: &Path) -> Outcome {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(hasher, entry));
    }
    hasher.update(path.to_string_lossy().as_bytes());
    if path.is_file() {
        hasher.update(fs::read(path)?);
    }
    Ok(())
}
