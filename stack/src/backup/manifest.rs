//! What an archive says about itself, in its last entry.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The name of that entry.
pub(super) const NAME: &str = "wildfire-backup.json";
/// What this program writes and reads.
pub(super) const FORMAT: u32 = 1;
/// Largest manifest that is read: half a million files.
pub(super) const LARGEST: u64 = 64 << 20;

/// What was taken, from where and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Of this text and of the archive.
    pub format: u32,
    /// The program that wrote it.
    pub version: String,
    /// What was acknowledged before is in it.
    pub taken_at: Timestamp,
    /// The Postgres that can read it.
    pub postgres_major: u32,
    /// The name Postgres gave the database when it made it, and keeps in every copy.
    pub system_identifier: u64,
    /// Every other entry, in the order of the archive.
    pub entries: Vec<Entry>,
}

/// A file or folder, relative to the data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// With `/` between names.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// In hexadecimal; folders have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
}

impl Manifest {
    /// The size of all files.
    pub fn size(&self) -> u64 {
        let sizes = self.entries.iter().map(|entry| entry.size);
        sizes.fold(0, u64::saturating_add)
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        let files = self.entries.iter().filter(|entry| entry.sha256.is_some());
        files.count()
    }
}
