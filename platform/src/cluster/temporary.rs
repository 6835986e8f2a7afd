//! Folders of throw-away clusters.
//!
//! A test process often ends without running destructors, so each new cluster
//! also clears what earlier ones left: a folder whose lock nobody holds.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::data_dir::FolderLock;
use super::error::ClusterError;
use super::own::is_own_folder;

const PREFIX: &str = "wildfire-temporary-";
const YOUNG: Duration = Duration::from_mins(1);

/// A folder that is deleted when dropped.
#[derive(Debug)]
pub(super) struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    /// Creates one that the server's account may enter.
    pub(super) fn create() -> Result<Self, ClusterError> {
        let base = env::temp_dir();
        sweep(&base);
        tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir_in(&base)
            .map(Self)
            .map_err(ClusterError::io("Creating a folder in", &base))
    }

    /// The data folder inside.
    pub(super) fn data_dir(&self) -> PathBuf {
        self.0.path().join("postgres")
    }
}

fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // Anybody may put a folder or a link of this name here.
        if !is_own_folder(&entry.path()) {
            continue;
        }
        let data_dir = entry.path().join("postgres");
        // A young folder may be between being created and being locked.
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map(|time| time.elapsed());
        let is_old = matches!(age, Ok(Ok(age)) if age > YOUNG);
        if is_old && FolderLock::take(&data_dir).is_ok() {
            _ = fs::remove_dir_all(entry.path());
        }
    }
}
