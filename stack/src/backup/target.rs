//! Where an archive goes: a file that has its name only when it is complete, or standard output.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::error::BackupError;

/// What `-` is called in messages.
const STDOUT: &str = "standard output";

/// An archive that is being written; what is not finished leaves nothing behind.
pub(super) struct Target {
    path: PathBuf,
    kind: Kind,
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
            let (path, kind) = (STDOUT.into(), Kind::Stdout);
            return Ok(Self { path, kind });
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
        // Tells the next backup that this one is at work.
        file.lock().map_err(failed)?;
        let kind = Kind::File {
            part,
            file,
            replaces,
        };
        Ok(Self {
            path: path.to_owned(),
            kind,
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
    pub(super) fn finish(self) -> Result<(), BackupError> {
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
        let named = file
            .sync_all()
            .and_then(|()| fs::rename(part, &self.path))
            .and_then(|()| File::open(folder.unwrap_or(Path::new(".")))?.sync_all());
        named.map_err(|error| self.failed(error))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Kind::File { part, .. } = &self.kind {
            // After it got its name, there is none.
            _ = fs::remove_file(part);
        }
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
        Ok(()) => fs::remove_file(part).map_err(failed),
        Err(TryLockError::WouldBlock) => Err(BackupError::BeingWritten(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}
