//! Putting what was unpacked in the place of what is there, in steps of which each is either done or not:
//!
//! 1. `restore.part` is filled; whatever ends it there has changed nothing.
//! 2. Renamed to `restore.ready`, it is complete: what is there is set aside, name by name.
//! 3. Renamed to `restore.moving`, nothing is there any more: what is in it goes to its place.
//!
//! Whoever finds one of the last two goes on with it; `start` refuses meanwhile.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::iter;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::error::BackupError;
use super::read::Receive;
use super::walk::stays;
use crate::lifecycle::{RESTORE_MOVING, RESTORE_READY};

const PART: &str = "restore.part";
/// Where what is there goes until all is in its place.
const ASIDE: &str = "restore.aside";

/// A folder that is being filled, beside what it will replace.
pub(super) struct Part {
    data_dir: PathBuf,
    folder: PathBuf,
}

impl Part {
    /// Removes what an earlier attempt left.
    pub(super) fn create(data_dir: &Path) -> Result<Self, BackupError> {
        let folder = data_dir.join(PART);
        discard(&folder)?;
        make_folder(&folder, 0o700).map_err(unpack(&folder))?;
        let data_dir = data_dir.to_owned();
        Ok(Self { data_dir, folder })
    }

    /// Complete, on disk, and with the name that says so.
    pub(super) fn complete(self) -> Result<(), BackupError> {
        let ready = self.data_dir.join(RESTORE_READY);
        // Says what could not be written, of this disk alone.
        File::open(&self.folder)
            .and_then(|folder| Ok(rustix::fs::syncfs(folder)?))
            .and_then(|()| fs::rename(&self.folder, &ready))
            .and_then(|()| File::open(&self.data_dir)?.sync_all())
            .map_err(unpack(&ready))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Once it is complete, it has another name.
        _ = fs::remove_dir_all(&self.folder);
    }
}

impl Receive for Part {
    fn folder(&mut self, path: &str, mode: u32) -> Result<(), BackupError> {
        let path = self.folder.join(path);
        make_folder(&path, mode | 0o700).map_err(unpack(&path))
    }

    fn file(&mut self, path: &str, mode: u32, content: &mut dyn Read) -> Result<(), BackupError> {
        let path = self.folder.join(path);
        let mut options = File::options();
        let file = options.write(true).create_new(true).mode(mode).open(&path);
        let written = file.and_then(|mut file| io::copy(content, &mut file));
        written.map(drop).map_err(unpack(&path))
    }
}

/// Finishes what is complete and not in its place; says where the former content is.
pub(super) fn settle(data_dir: &Path, aside: &str) -> Result<Option<PathBuf>, BackupError> {
    let (ready, moving) = (data_dir.join(RESTORE_READY), data_dir.join(RESTORE_MOVING));
    let former = data_dir.join(ASIDE);
    if ready.exists() {
        for name in names(data_dir)?.iter().filter(|name| !stays(name)) {
            if !former.exists() {
                make_folder(&former, 0o700).map_err(swap(&former))?;
            }
            set_aside(&data_dir.join(name), &former, aside)?;
        }
        fs::rename(&ready, &moving).map_err(swap(&ready))?;
    }
    if moving.exists() {
        for name in names(&moving)? {
            let to = data_dir.join(&name);
            fs::rename(moving.join(&name), &to).map_err(swap(&to))?;
        }
        fs::remove_dir(&moving).map_err(swap(&moving))?;
    }
    let kept = former.exists().then(|| free_name(&data_dir.join(aside)));
    if let Some(kept) = &kept {
        fs::rename(&former, kept).map_err(swap(kept))?;
    }
    let folder = File::open(data_dir).and_then(|folder| folder.sync_all());
    folder.map_err(swap(data_dir))?;
    Ok(kept)
}

/// This name, or the first with a number that nothing has.
fn free_name(path: &Path) -> PathBuf {
    let numbered = (2_u32..).map(|number| path.with_added_extension(number.to_string()));
    let mut names = iter::once(path.to_owned()).chain(numbered);
    names
        .find(|name| fs::symlink_metadata(name).is_err())
        .unwrap_or_else(|| path.to_owned())
}

/// Whether there is something that a restore would set aside.
pub(super) fn has_content(data_dir: &Path) -> Result<bool, BackupError> {
    Ok(data_dir.is_dir() && names(data_dir)?.iter().any(|name| !stays(name)))
}

/// Refuses what could not be renamed away.
pub(super) fn refuse_other_disks(data_dir: &Path) -> Result<(), BackupError> {
    let disk = |path: &Path| fs::symlink_metadata(path).map(|metadata| metadata.dev());
    let own = disk(data_dir).map_err(unpack(data_dir))?;
    for name in names(data_dir)?.iter().filter(|name| !stays(name)) {
        let path = data_dir.join(name);
        if disk(&path).map_err(unpack(&path))? != own {
            return Err(BackupError::OtherDisk(path));
        }
    }
    Ok(())
}

/// A link leads to the database where Postgres' account may not enter the data folder; the next start
/// wants that place.
fn set_aside(from: &Path, former: &Path, aside: &str) -> Result<(), BackupError> {
    let to = former.join(from.file_name().unwrap_or_default());
    let is_link = fs::symlink_metadata(from).is_ok_and(|metadata| metadata.is_symlink());
    let target = fs::canonicalize(from).ok().filter(|_| is_link);
    let Some(target) = target else {
        return fs::rename(from, &to).map_err(swap(from));
    };
    let beside = free_name(&target.with_added_extension(aside));
    fs::rename(&target, &beside)
        .and_then(|()| symlink(&beside, &to))
        .and_then(|()| fs::remove_file(from))
        .map_err(swap(from))
}

fn names(folder: &Path) -> Result<Vec<String>, BackupError> {
    let read = || {
        let names = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect::<io::Result<Vec<_>>>()
    };
    let mut names = read().map_err(unpack(folder))?;
    names.sort();
    Ok(names)
}

fn discard(folder: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unpack(folder)(error)),
        _ => Ok(()),
    }
}

fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)
}

fn unpack(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::Unpack { path, source }
}

fn swap(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::Swap { path, source }
}
