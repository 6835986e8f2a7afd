//! House rules that no linter knows, each with its reason.

mod circles;
pub(crate) mod dependencies;
mod documents;
mod licences;
mod migrations;
mod snapshots;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{Failure, Outcome, Program};

/// Checks every rule and reports all breaches at once.
pub(crate) fn run() -> Outcome {
    let metadata = metadata()?;
    let mut breaches = dependencies::check(&metadata);
    breaches.extend(circles::check(&metadata)?);
    breaches.extend(licences::check(&metadata)?);
    breaches.extend(sources::check(&metadata)?);
    breaches.extend(migrations::check()?);
    breaches.extend(documents::check()?);
    breaches.extend(snapshots::check(&metadata)?);
    if breaches.is_empty() {
        eprintln!("\u{2713} house rules");
        return Ok(());
    }
    Err(Failure::new(format!(
        "house rules are broken:\n  {}",
        breaches.join("\n  ")
    )))
}

/// What `cargo metadata` says about the workspace and everything it uses.
pub(crate) fn metadata() -> Result<serde_json::Value, Failure> {
    let text = Program::new("cargo", &["metadata", "--format-version", "1", "--locked"])
        .output()
        .ok_or_else(|| {
            Failure::new("`cargo metadata --locked` failed: is Cargo.lock committed?")
        })?;
    serde_json::from_str(&text).map_err(|error| Failure::new(error.to_string()))
}

/// All Rust files below a folder, sorted.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    files_ending(folder, ".rs")
}

/// All files below a folder whose names end so, sorted.
fn files_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    collect(folder, ending, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> Outcome {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    Ok(())
}
