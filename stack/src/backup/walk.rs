//! What of a data folder belongs into a backup: everything but what the rules here name, so that nothing
//! is forgotten that somebody adds. A service keeps its files in a folder of its own below the data
//! folder and has to do nothing for them to be backed up and restored; what can be made again is named
//! in [`is_passing`].
//!
//! Folders are opened from the one above, and no link is followed below the first level: parts of the
//! data folder belong to Postgres' account, which must not lead root to other files.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::error::BackupError;
use super::manifest;

/// Where Postgres keeps its log of changes.
pub(super) const LOG: &str = "postgres/pg_wal";
/// Copied last, and until two copies are the same: Postgres may be writing it.
pub(super) const CONTROL: &str = "postgres/global/pg_control";

/// Folders of Postgres that stay empty: a server makes their content anew. Slots of replication are
/// among them, since who reads from one is ahead of what is restored.
const EMPTIED: &[&str] = &[
    "pg_dynshmem",
    "pg_notify",
    "pg_replslot",
    "pg_serial",
    "pg_snapshots",
    "pg_stat_tmp",
    "pg_subtrans",
];

/// Whether a server runs on what is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    /// Its log is added when the copy is complete.
    Running,
    /// Its log is part of the folder.
    Stopped,
}

/// Something to take along.
pub(super) enum Item {
    Folder { mode: u32 },
    File(File),
}

/// Whether an entry of the data folder stays in its place when the others are replaced: what this
/// program locks, what earlier restores set aside or left, what belongs to the disk.
pub(super) fn stays(name: &str) -> bool {
    ["wildfire.lock", "wildfire.log", ".gitignore", "lost+found"].contains(&name)
        || ["before-restore-", "restore."]
            .iter()
            .any(|own| name.starts_with(own))
}

/// Whether an entry of the data folder is of this moment: locks, logs, the state of a process, what
/// was being made.
fn is_passing(name: &str) -> bool {
    stays(name)
        || name == manifest::NAME
        || ["wildfire.", "postgres."]
            .iter()
            .any(|own| name.starts_with(own))
        || Path::new(name)
            .extension()
            .is_some_and(|it| it == "partial")
}

fn is_left_out(path: &str, database: Database) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(inner) = path.strip_prefix("postgres/") else {
        return !path.contains('/') && is_passing(path);
    };
    let folder = inner.split_once('/').map(|(folder, _)| folder);
    let is_emptied =
        |folder| EMPTIED.contains(&folder) || (folder == "pg_wal" && database == Database::Running);
    folder.is_some_and(is_emptied)
        || [
            "postmaster.pid",
            "postmaster.opts",
            "current_logfiles",
            "current_logfiles.tmp",
        ]
        .contains(&inner)
        || ["pgsql_tmp", "pg_internal.init"]
            .iter()
            .any(|start| name.starts_with(start))
        || path == CONTROL
}

/// Opens a file of the data folder as a walk does: through no link below the first level.
pub(super) fn open_below(data_dir: &Path, path: &str) -> io::Result<File> {
    let mut folder: OwnedFd = File::open(data_dir)?.into();
    let mut below = String::new();
    for name in path.split('/') {
        below.push_str(name);
        folder = openat(&folder, name, reading(&below), Mode::empty())?;
        below.push('/');
    }
    Ok(folder.into())
}

/// Links are the operator's on the first level, and where Postgres' log is.
fn reading(path: &str) -> OFlags {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    if path.contains('/') && path != LOG {
        flags | OFlags::NOFOLLOW
    } else {
        flags
    }
}

/// A walk through a data folder.
pub(super) struct Walk<'a> {
    pub(super) data_dir: &'a Path,
    pub(super) database: Database,
}

impl Walk<'_> {
    /// Visits every folder before what is in it, by name.
    pub(super) fn visit(
        &self,
        visit: &mut dyn FnMut(&str, Item) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let root = File::open(self.data_dir).map_err(|source| self.unreadable("", source))?;
        self.folder(&root.into(), "", visit)
    }

    fn folder(
        &self,
        folder: &OwnedFd,
        prefix: &str,
        visit: &mut dyn FnMut(&str, Item) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        for name in self.names(folder, prefix)? {
            let text = name
                .to_str()
                .map_err(|_| self.unreadable(prefix, io::ErrorKind::InvalidFilename.into()))?;
            let path = if prefix.is_empty() {
                text.to_owned()
            } else {
                format!("{prefix}/{text}")
            };
            if is_left_out(&path, self.database) {
                continue;
            }
            // Tables are dropped and mails deleted while this reads: what is gone is gone.
            let Some(opened) = self.open(folder, &name, &path)? else {
                continue;
            };
            match opened {
                (mode, None) => {
                    visit(&path, Item::Folder { mode })?;
                    let inner = self.openat(folder, &name, &path, OFlags::DIRECTORY)?;
                    if let Some(inner) = inner {
                        self.folder(&inner, &path, visit)?;
                    }
                }
                (_, Some(file)) => visit(&path, Item::File(file))?,
            }
        }
        Ok(())
    }

    fn names(&self, folder: &OwnedFd, prefix: &str) -> Result<Vec<CString>, BackupError> {
        let failed = |error: Errno| self.unreadable(prefix, error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if ![c".", c".."].contains(&entry.file_name()) {
                names.push(entry.file_name().to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Rights, and the open file unless it is a folder; `None` if it has gone.
    fn open(
        &self,
        folder: &OwnedFd,
        name: &CString,
        path: &str,
    ) -> Result<Option<(u32, Option<File>)>, BackupError> {
        let follow = if path.contains('/') {
            AtFlags::SYMLINK_NOFOLLOW
        } else {
            AtFlags::empty()
        };
        let stat = match statat(folder, name, follow) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.unreadable(path, error.into())),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Ok(Some((stat.st_mode & 0o777, None))),
            FileType::RegularFile => {
                let file = self.openat(folder, name, path, OFlags::empty())?;
                Ok(file.map(|file| (0, Some(file.into()))))
            }
            // Its log on another disk is where it always was.
            FileType::Symlink if path == LOG => Ok(Some((0o700, None))),
            _ => Err(BackupError::Strange(self.data_dir.join(path))),
        }
    }

    fn openat(
        &self,
        folder: &OwnedFd,
        name: &CString,
        path: &str,
        kind: OFlags,
    ) -> Result<Option<OwnedFd>, BackupError> {
        match openat(folder, name, reading(path) | kind, Mode::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.unreadable(path, error.into())),
        }
    }

    fn unreadable(&self, path: &str, source: io::Error) -> BackupError {
        let path: PathBuf = self.data_dir.join(path);
        BackupError::Read { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_named_is_taken_along() {
        for path in [
            "secrets.json",
            "role-password",
            "mail",
            "mail/1.eml",
            "storage/wildfire.partial",
            "postgres",
            "postgres/PG_VERSION",
            "postgres/pg_wal",
            "postgres/pg_replslot",
            "postgres/pg_xact/0000",
            "postgres/base/5/pg_filenode.map",
            "postgres/postgresql.auto.conf",
        ] {
            assert!(!is_left_out(path, Database::Running), "{path}");
        }
        for path in [
            "wildfire.lock",
            "wildfire.json",
            "postgres.log",
            "postgres.init-abc",
            "before-restore-1",
            "restore.part",
            "secrets.json.partial",
            "postgres/postmaster.pid",
            "postgres/pg_wal/000000010000000000000001",
            "postgres/pg_replslot/slot/state",
            "postgres/base/pgsql_tmp",
            "postgres/base/5/pg_internal.init.77",
        ] {
            assert!(is_left_out(path, Database::Running), "{path}");
        }
        let log = "postgres/pg_wal/000000010000000000000001";
        assert!(!is_left_out(log, Database::Stopped));
    }
}
