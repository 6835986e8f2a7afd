//! A whole installation in one file: the database as of one moment, secrets, mail, and whatever else
//! is in the data folder.
//!
//! The file is a tar archive, compressed by gzip and, if there is a passphrase, sealed as age does it.
//! Its last entry says what the others have to be. Why so: `docs/decisions/0019-backups.md`.

mod error;
mod manifest;
mod place;
mod progress;
mod read;
mod seal;
mod target;
mod walk;
mod write;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use platform::env::Secret;
use rustix::process::geteuid;

pub use error::BackupError;
pub use manifest::Manifest;
pub use progress::Progress;

use self::place::Part;
use self::read::{Nowhere, Source};
use self::target::Target;
use self::walk::{Database, Folder, LOG};
use self::write::{Archive, Facts, control_of};
use crate::postgres::{Copied, system_identifier};

/// What is backed up, and where to.
pub struct Backup {
    folder: Folder,
    major: u32,
    archive: Archive,
}

/// How an archive is written.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The file, or `-`.
    pub file: &'a Path,
    /// Whether a file of that name is replaced.
    pub overwrite: bool,
    /// Whether and how it is encrypted.
    pub passphrase: Option<&'a Secret<String>>,
}

impl Backup {
    /// Begins the archive of an installation with a database of this version.
    pub fn create(
        data_dir: &Path,
        major: u32,
        wanted: Wanted<'_>,
        progress: &Progress,
    ) -> Result<Self, BackupError> {
        refuse_inside(data_dir, wanted.file)?;
        let folder = Folder::open(data_dir)?;
        let target = Target::create(wanted.file, wanted.overwrite)?;
        let archive = Archive::create(target, wanted.passphrase, progress.clone())?;
        Ok(Self {
            folder,
            major,
            archive,
        })
    }

    /// Copies what nobody uses. Blocks.
    pub fn copy_stopped(mut self, now: Timestamp) -> Result<Manifest, BackupError> {
        self.archive.add_folder(&self.folder, Database::Stopped)?;
        self.finish(now)
    }

    /// Copies the files of an installation whose server is [`Copying`](crate::postgres::Copying). Blocks.
    pub fn copy_running(mut self) -> Result<Self, BackupError> {
        self.archive.add_folder(&self.folder, Database::Running)?;
        Ok(self)
    }

    /// Adds the log that makes them one moment's. Blocks.
    pub fn complete(mut self, copied: &Copied, now: Timestamp) -> Result<Manifest, BackupError> {
        self.archive
            .add_bytes("postgres/backup_label", copied.label.as_bytes())?;
        for name in &copied.log {
            let path = format!("{LOG}/{name}");
            let file = self.folder.open_below(&path);
            let file = file.map_err(|_| BackupError::WalGone(name.clone()))?;
            self.archive.add_file(&self.folder, &path, &file)?;
        }
        self.finish(now)
    }

    fn finish(self, taken_at: Timestamp) -> Result<Manifest, BackupError> {
        let control = control_of(&self.folder)?;
        self.archive.finish(&Facts {
            taken_at,
            postgres_major: self.major,
            system_identifier: system_identifier(&control).unwrap_or_default(),
        })
    }
}

/// Whether an archive takes a passphrase.
pub fn is_encrypted(file: &Path) -> Result<bool, BackupError> {
    read::is_sealed(file)
}

/// Reads an archive to its end and refuses one that is not whole. Blocks.
pub fn verify(
    file: &Path,
    passphrase: Option<&Secret<String>>,
    progress: &Progress,
) -> Result<Manifest, BackupError> {
    let source = Source {
        path: file,
        passphrase,
        progress,
    };
    source.read(&mut Nowhere)
}

/// Refuses root where what it unpacks would be unreadable to the account that has the data folder.
pub fn refuse_other_account(data_dir: &Path) -> Result<(), BackupError> {
    match data_dir.metadata() {
        Ok(metadata) if geteuid().is_root() && metadata.uid() != 0 => Err(BackupError::OfAccount {
            data_dir: data_dir.to_owned(),
            uid: metadata.uid(),
        }),
        _ => Ok(()),
    }
}

/// Whether something is in the data folder that a restore sets aside.
pub fn has_content(data_dir: &Path) -> Result<bool, BackupError> {
    place::has_content(data_dir)
}

/// Finishes a restore that was broken off when all was unpacked; says where the former content is.
pub fn settle(data_dir: &Path, now: Timestamp) -> Result<Option<PathBuf>, BackupError> {
    place::settle(data_dir, &aside(now))
}

/// Puts what a [verified](verify) archive holds in the place of what is in the data folder, which is this
/// process's, and says where the former content is. Blocks.
pub fn restore(
    file: &Path,
    passphrase: Option<&Secret<String>>,
    verified: &Manifest,
    data_dir: &Path,
    (progress, now): (&Progress, Timestamp),
) -> Result<Option<PathBuf>, BackupError> {
    place::refuse_other_disks(data_dir)?;
    let mut part = Part::create(data_dir)?;
    let source = Source {
        path: file,
        passphrase,
        progress,
    };
    // The file may have become another one since.
    if source.read(&mut part)? != *verified {
        let (path, what) = (file.to_owned(), "it changed meanwhile".to_owned());
        return Err(BackupError::Damaged { path, what });
    }
    if !progress.end() {
        return Err(BackupError::Interrupted);
    }
    part.complete()?;
    settle(data_dir, now)
}

fn aside(now: Timestamp) -> String {
    now.strftime("before-restore-%Y%m%dT%H%M%SZ").to_string()
}

/// Refuses what the disk of a folder, which need not be there yet, has no room for.
pub fn refuse_too_large(manifest: &Manifest, folder: &Path) -> Result<(), BackupError> {
    let mut there = folder.ancestors();
    let Some(disk) = there.find_map(|folder| rustix::fs::statvfs(folder).ok()) else {
        return Ok(());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    // A file takes whole blocks.
    let blocks = (manifest.entries.len() as u64).saturating_mul(disk.f_frsize);
    let needed = manifest.size().saturating_add(blocks);
    if needed > free {
        let folder = folder.to_owned();
        return Err(BackupError::NoRoom {
            folder,
            needed,
            free,
        });
    }
    Ok(())
}

/// Refuses an archive that would be copied into itself.
fn refuse_inside(data_dir: &Path, file: &Path) -> Result<(), BackupError> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    let is_inside = match (folder, data_dir.canonicalize()) {
        (Ok(folder), Ok(data_dir)) => folder.starts_with(data_dir),
        _ => false,
    };
    if is_inside && file != Path::new("-") {
        let (file, data_dir) = (file.to_owned(), data_dir.to_owned());
        return Err(BackupError::Inside { file, data_dir });
    }
    Ok(())
}
