//! A released migration is never edited: databases that have it would differ from new ones.
//!
//! `migrations/released.sha256` lists what has been released, in the format of `sha256sum`.

use std::fs;

use sha2::{Digest, Sha256};

use crate::root;
use crate::step::Failure;

pub(super) fn check() -> Result<Vec<String>, Failure> {
    let folder = root().join("migrations");
    let released = fs::read_to_string(folder.join("released.sha256"))?;
    let listed = released.lines().filter(|line| !line.starts_with('#'));
    let breaches = listed.filter_map(|line| {
        let (digest, name) = line.split_once("  ")?;
        let Ok(content) = fs::read(folder.join(name)) else {
            return Some(format!("migrations/{name} was released and is gone"));
        };
        let changed = hex::encode(Sha256::digest(content)) != digest;
        changed
            .then(|| format!("migrations/{name} was released and has been edited: add a new one"))
    });
    Ok(breaches.collect())
}
