//! Where an archive goes: a file that has its name only when it is complete, or standard output.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::error::BackupError;

/// What `-` is called in messages.
const STDOUT: &str = "standard output";

/// An archive that is being written; what is not finished leaves nothing behind.
pub(super) struct Target {
    path: PathBuf,
    kind: Kind,
    /// Then there is nothing left to remove.
    is_named: bool,
}

enum Kind {
    File {
        part: PathBuf,
        file: File,
        replaces: bool,
    },
    Stdout,
}

impl Target {
    /// Refuses what is there, and another backup to the same file; makes what only its owner may read.
    pub(super) fn create(path: &Path, replaces: bool) -> Result<Self, BackupError> {
        if path == Path::new("-") {
            if io::stdout().is_terminal() {
                return Err(BackupError::Terminal);
            }
            return Ok(Self {
                path: STDOUT.into(),
                kind: Kind::Stdout,
                is_named: false,
            });
        }
        if !replaces && path.symlink_metadata().is_ok() {
            return Err(BackupError::Exists(path.to_owned()));
        }
        let part = path.with_added_extension("part");
        remove_left(path, &part)?;
        let failed = |source| BackupError::Write {
            path: path.to_owned(),
            source,
        };
        let mut options = File::options();
        let file = options.write(true).create_new(true).mode(0o600).open(&part);
        let file = match file {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(BackupError::BeingWritten(path.to_owned()));
            }
            file => file.map_err(failed)?,
        };
        claim(&file, &part, path)?;
        let kind = Kind::File {
            part,
            file,
            replaces,
        };
        Ok(Self {
            path: path.to_owned(),
            kind,
            is_named: false,
        })
    }

    pub(super) fn failed(&self, source: io::Error) -> BackupError {
        BackupError::Write {
            path: self.path.clone(),
            source,
        }
    }

    /// What to write to.
    pub(super) fn writer(&self) -> Result<Box<dyn Write + Send>, BackupError> {
        match &self.kind {
            Kind::File { file, .. } => {
                let file = file.try_clone().map_err(|error| self.failed(error))?;
                Ok(Box::new(file))
            }
            Kind::Stdout => Ok(Box::new(io::stdout())),
        }
    }

    /// On disk, under its name.
    pub(super) fn finish(mut self) -> Result<(), BackupError> {
        let Kind::File {
            part,
            file,
            replaces,
        } = &self.kind
        else {
            return Ok(());
        };
        if !replaces && self.path.symlink_metadata().is_ok() {
            return Err(BackupError::Exists(self.path.clone()));
        }
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        let named = file.sync_all().and_then(|()| fs::rename(part, &self.path));
        named.map_err(|error| self.failed(error))?;
        self.is_named = true;
        File::open(folder.unwrap_or(Path::new(".")))
            .and_then(|folder| folder.sync_all())
            .map_err(|error| self.failed(error))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Kind::File { part, .. } = &self.kind
            && !self.is_named
        {
            _ = fs::remove_file(part);
        }
    }
}

/// Tells the next backup that this one is at work, unless that one has taken the name.
fn claim(file: &File, part: &Path, path: &Path) -> Result<(), BackupError> {
    file.lock().map_err(|source| BackupError::Write {
        path: path.to_owned(),
        source,
    })?;
    if is_at(file, part) {
        Ok(())
    } else {
        Err(BackupError::BeingWritten(path.to_owned()))
    }
}

/// Removes what a backup left that was killed; its lock went with it.
fn remove_left(path: &Path, part: &Path) -> Result<(), BackupError> {
    let failed = |source| BackupError::Write {
        path: path.to_owned(),
        source,
    };
    let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let left = File::options().write(true).custom_flags(no_link).open(part);
    let left = match left {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        left => left.map_err(failed)?,
    };
    match left.try_lock() {
        // It may have got its name, and another be in its place.
        Ok(()) if is_at(&left, part) => fs::remove_file(part).map_err(failed),
        Ok(()) | Err(TryLockError::WouldBlock) => Err(BackupError::BeingWritten(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Whether an open file is the one of that name.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(there)) = (file.metadata(), path.symlink_metadata()) else {
        return false;
    };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_backups_to_one_file_the_one_that_lost_its_name_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (path, part) = (folder.path().join("a"), folder.path().join("a.part"));
        // Made, and not locked yet.
        let first = File::create_new(&part).unwrap();
        let second = Target::create(&path, false).unwrap();
        let refused = claim(&first, &part, &path).unwrap_err();
        assert!(matches!(refused, BackupError::BeingWritten(_)), "{refused}");
        second.writer().unwrap().write_all(b"second").unwrap();
        second.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
    }
}
