//! The unprivileged account the server runs as when this process is root.
//!
//! Postgres refuses to run as root, so a root process has to hand the server to
//! somebody else, and that account has to be able to reach the programs and the
//! data folder.

use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::User;

use super::error::ClusterError;

/// An account other than root's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    /// The account to run the server of `data_dir` as; `None` means "as we are".
    /// The owner of an existing folder comes first, because only the owner may
    /// run a server on it.
    pub(super) fn choose(data_dir: &Path) -> Result<Option<Self>, ClusterError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        if let Ok(metadata) = fs::metadata(data_dir)
            && metadata.uid() != 0
        {
            return Ok(Some(Self {
                uid: metadata.uid(),
                gid: metadata.gid(),
            }));
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(Self::named)
            .map(Some)
            .ok_or(ClusterError::NoAccount)
    }

    fn named(name: &str) -> Option<Self> {
        let user = User::from_name(name).ok().flatten()?;
        (!user.uid.is_root()).then(|| Self {
            uid: user.uid.as_raw(),
            gid: user.gid.as_raw(),
        })
    }

    /// Whether this account may pass through `folder` and all folders above it.
    pub(super) fn may_enter(self, folder: &Path) -> bool {
        folder
            .ancestors()
            .filter(|ancestor| !ancestor.as_os_str().is_empty())
            .all(|ancestor| {
                fs::metadata(ancestor).is_ok_and(|metadata| self.has_right(&metadata, 0o1))
            })
    }

    /// Whether this account may run the program at `path`.
    pub(super) fn may_run(self, path: &Path) -> bool {
        path.parent().is_some_and(|folder| self.may_enter(folder))
            && fs::metadata(path).is_ok_and(|metadata| self.has_right(&metadata, 0o5))
    }

    fn has_right(self, metadata: &fs::Metadata, right: u32) -> bool {
        let shift = if metadata.uid() == self.uid {
            6
        } else if metadata.gid() == self.gid {
            3
        } else {
            0
        };
        (metadata.mode() >> shift) & right == right
    }

    /// Gives one file or folder to this account; of a link, the link itself.
    pub(super) fn take(self, path: &Path) -> Result<(), ClusterError> {
        lchown(path, Some(self.uid), Some(self.gid))
            .map_err(ClusterError::io("Changing the owner of", path))
    }

    /// Gives a whole folder to this account: a data folder that root copied here
    /// could not be used otherwise.
    pub(super) fn take_tree(self, path: &Path) -> Result<(), ClusterError> {
        let metadata = fs::symlink_metadata(path).map_err(ClusterError::io("Reading", path))?;
        if metadata.is_symlink() {
            return Ok(());
        }
        self.take(path)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(path).map_err(ClusterError::io("Reading", path))? {
                let entry = entry.map_err(ClusterError::io("Reading", path))?;
                self.take_tree(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Makes `command` run as this account, without any of root's groups.
    pub(super) fn apply(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Whether a file with this owner already belongs to the account.
    pub(super) fn owns(self, metadata: &fs::Metadata) -> bool {
        metadata.uid() == self.uid
    }
}
