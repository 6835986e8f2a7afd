//! What of a data folder belongs into a backup: everything but what the rules here name, so that nothing
//! is forgotten that somebody adds. A service keeps its files in a folder of its own below the data
//! folder and has to do nothing for them to be backed up and restored; what can be made again is named
//! in [`is_passing`].
//!
//! Folders are opened from the one above, and no link is followed below the first level but that of
//! Postgres' log, to what belongs to the account of the database: it has parts of the data folder, and must
//! not lead root to other files.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;

use super::error::BackupError;
use super::manifest;

const POSTGRES: &str = "postgres";
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
/// was being made. No archive has such a name.
pub(super) fn is_passing(name: &str) -> bool {
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

/// Links are the operator's on the first level. Where Postgres' log is, whoever has Postgres' account can
/// make one: it leads to nothing of others.
fn open_in(folder: &OwnedFd, name: &CStr, path: &str, kind: OFlags) -> Result<OwnedFd, Errno> {
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | kind;
    if path.contains('/') && path != LOG {
        flags |= OFlags::NOFOLLOW;
    }
    let file = openat(folder, name, flags, Mode::empty())?;
    if path.starts_with(LOG) && fstat(&file)?.st_uid != fstat(folder)?.st_uid {
        return Err(Errno::PERM);
    }
    Ok(file)
}

fn is_link(folder: &OwnedFd, name: &CStr) -> bool {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// A data folder, and the database that was in it when it was opened: another one may take its place.
pub(super) struct Folder {
    path: PathBuf,
    root: OwnedFd,
    postgres: OwnedFd,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, BackupError> {
        let unreadable = |source| BackupError::Read {
            path: path.to_owned(),
            source,
        };
        let root: OwnedFd = File::open(path).map_err(unreadable)?.into();
        let postgres = open_in(&root, c"postgres", POSTGRES, OFlags::DIRECTORY);
        let postgres = postgres.map_err(|error| unreadable(error.into()))?;
        let path = path.to_owned();
        Ok(Self {
            path,
            root,
            postgres,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of the database as a walk does.
    pub(super) fn open_below(&self, path: &str) -> io::Result<File> {
        let mut folder = self.postgres.try_clone()?;
        let mut below = POSTGRES.to_owned();
        let inner = path.strip_prefix("postgres/").unwrap_or(path);
        for name in inner.split('/') {
            below = format!("{below}/{name}");
            folder = open_in(&folder, &CString::new(name)?, &below, OFlags::empty())?;
        }
        Ok(folder.into())
    }

    /// Visits every folder before what is in it, by name.
    pub(super) fn visit(
        &self,
        database: Database,
        visit: &mut dyn FnMut(&str, Item) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        self.folder(&self.root, "", database, visit)
    }

    fn folder(
        &self,
        folder: &OwnedFd,
        prefix: &str,
        database: Database,
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
            if is_left_out(&path, database) {
                continue;
            }
            // Tables are dropped and mails deleted while this reads: what is gone is gone.
            match self.entry(folder, &name, &path)? {
                None => {}
                Some((FileType::Directory, mode, inner)) => {
                    visit(&path, Item::Folder { mode })?;
                    self.folder(&inner, &path, database, visit)?;
                }
                Some((_, _, file)) => visit(&path, Item::File(file.into()))?,
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

    /// A file or a folder, its rights, and what reads it; `None` if it has gone.
    fn entry(
        &self,
        folder: &OwnedFd,
        name: &CStr,
        path: &str,
    ) -> Result<Option<(FileType, u32, OwnedFd)>, BackupError> {
        let failed = |error: Errno| match error {
            Errno::LOOP | Errno::NXIO => BackupError::Strange(self.path.join(path)),
            Errno::PERM => BackupError::OtherAccount(self.path.join(path)),
            error => self.unreadable(path, error.into()),
        };
        let opened = if path == POSTGRES {
            rustix::io::dup(&self.postgres)
        } else {
            open_in(folder, name, path, OFlags::empty())
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(Errno::NOENT) if is_link(folder, name) => {
                return Err(BackupError::Dangling(self.path.join(path)));
            }
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let stat = fstat(&opened).map_err(failed)?;
        match FileType::from_raw_mode(stat.st_mode) {
            kind @ (FileType::Directory | FileType::RegularFile) => {
                Ok(Some((kind, stat.st_mode & 0o777, opened)))
            }
            _ => Err(failed(Errno::LOOP)),
        }
    }
    fn unreadable(&self, path: &str, source: io::Error) -> BackupError {
        let path: PathBuf = self.path.join(path);
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
