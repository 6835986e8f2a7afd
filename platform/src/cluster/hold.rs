//! Keeping a server down that another process of this program looks after, while something is done with
//! its data folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::error::ClusterError;
use super::{leftover, own};

/// While it is held, and no longer than the process lives that holds it, nobody starts the server again.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    _lock: File,
}

impl Hold {
    /// Stops the server of `data_dir`, if one runs, and keeps it down. Blocks.
    pub fn take(data_dir: &Path) -> Result<Self, ClusterError> {
        let path = path_of(data_dir);
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file =
            own::open_no_link(&mut options, &path).map_err(ClusterError::io("Opening", &path))?;
        file.lock().map_err(ClusterError::io("Locking", &path))?;
        let hold = Self { path, _lock: file };
        leftover::clear(data_dir)?;
        Ok(hold)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}

/// Whether somebody holds the server of `data_dir` down.
pub(super) fn is_held(data_dir: &Path) -> bool {
    let mut options = File::options();
    options.write(true);
    own::open_no_link(&mut options, &path_of(data_dir)).is_ok_and(|file| file.try_lock().is_err())
}

fn path_of(data_dir: &Path) -> PathBuf {
    data_dir.with_added_extension("hold")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_until_whoever_holds_it_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let data_dir = root.path().join("postgres");
        assert!(!is_held(&data_dir));
        let hold = Hold::take(&data_dir).unwrap();
        assert!(is_held(&data_dir));
        drop(hold);
        assert!(!is_held(&data_dir));
        // As a process leaves it that was killed.
        fs::write(path_of(&data_dir), "").unwrap();
        assert!(!is_held(&data_dir));
    }
}
