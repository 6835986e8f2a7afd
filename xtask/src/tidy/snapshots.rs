//! What a test wrote beside a reviewed file is accepted by somebody who read the difference, or goes.

use std::path::Path;

use serde_json::Value;

use super::dependencies::members;
use super::files_ending;
use crate::root;
use crate::step::Failure;

pub(super) fn check(metadata: &Value) -> Result<Vec<String>, Failure> {
    let root = root();
    let mut breaches = Vec::new();
    for package in members(metadata) {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let tests = Path::new(manifest).with_file_name("tests");
        if !tests.is_dir() {
            continue;
        }
        for file in files_ending(&tests, ".snap.new")? {
            let shown = file.strip_prefix(&root).unwrap_or(&file).display();
            breaches.push(format!(
                "{shown}: what changed has not been reviewed; rename it to `.snap` if it is meant, \
                 else delete it"
            ));
        }
    }
    Ok(breaches)
}
