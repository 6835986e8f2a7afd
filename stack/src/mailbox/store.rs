//! Mail on disk: one `.eml` file each, written whole or not at all, the newest 500 kept. The list
//! is held in memory and read from the folder at the start.

use std::collections::HashSet;
use std::io::{ErrorKind, Write};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use platform::clock::Clock;
use uuid::Uuid;

use super::message::{Letter, Summary};

/// How many mails are kept.
pub(super) const KEPT: usize = 500;

const EXTENSION: &str = "eml";

/// The mails of one installation, newest first.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    clock: Clock,
    list: Mutex<Vec<Summary>>,
}

impl Store {
    /// Opens the folder, creating it, and reads what is there.
    pub fn open(folder: &Path, clock: Clock) -> std::io::Result<Self> {
        create_private_folder(folder)?;
        let mut list = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let id = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            let created = created(id);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(EXTENSION) => {
                    let Some(created) = created else { continue };
                    list.push(Letter::parse(id, created, &std::fs::read(&path)?).summary(created));
                }
                // Left by a process that was killed while writing.
                Some("part") => std::fs::remove_file(&path)?,
                _ => {}
            }
        }
        list.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(Self {
            folder: folder.to_owned(),
            clock,
            list: Mutex::new(list),
        })
    }

    /// Files a mail and forgets the oldest beyond the limit; gives its id.
    pub fn file(&self, eml: &[u8]) -> std::io::Result<String> {
        let created = self.clock.now();
        let mut list = self.list();
        let id = new_id(created, list.first());
        write_whole(&self.path(&id), eml)?;
        list.insert(0, Letter::parse(&id, created, eml).summary(created));
        let kept = KEPT.min(list.len());
        for old in list.drain(kept..) {
            remove(&self.path(&old.id))?;
        }
        Ok(id)
    }

    /// The rows of the list, newest first.
    pub fn summaries(&self) -> Vec<Summary> {
        self.list().clone()
    }

    /// The id of this mail, or of the newest for `latest`, if there is one.
    pub fn resolve(&self, id: &str) -> Option<String> {
        let list = self.list();
        let found = if id == "latest" {
            list.first()
        } else {
            list.iter().find(|mail| mail.id == id)
        };
        found.map(|mail| mail.id.clone())
    }

    /// The mail as it was filed.
    pub fn raw(&self, id: &str) -> std::io::Result<Option<Vec<u8>>> {
        let Some(id) = self.resolve(id) else {
            return Ok(None);
        };
        match std::fs::read(self.path(&id)) {
            Ok(eml) => Ok(Some(eml)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The mail, taken apart.
    pub fn letter(&self, id: &str) -> std::io::Result<Option<Letter>> {
        let Some(id) = self.resolve(id) else {
            return Ok(None);
        };
        let Some(created) = created(&id) else {
            return Ok(None);
        };
        Ok(self.raw(&id)?.map(|eml| Letter::parse(&id, created, &eml)))
    }

    /// Marks mails as opened or not; no ids means all.
    pub fn mark(&self, ids: &[String], read: bool) {
        let chosen: HashSet<&String> = ids.iter().collect();
        for mail in self.list().iter_mut() {
            if ids.is_empty() || chosen.contains(&mail.id) {
                mail.read = read;
            }
        }
    }

    /// Deletes mails; no ids means all.
    pub fn delete(&self, ids: &[String]) -> std::io::Result<()> {
        let chosen: HashSet<&String> = ids.iter().collect();
        let mut list = self.list();
        for mail in list.iter() {
            if ids.is_empty() || chosen.contains(&mail.id) {
                remove(&self.path(&mail.id))?;
            }
        }
        list.retain(|mail| !ids.is_empty() && !chosen.contains(&mail.id));
        Ok(())
    }

    fn list(&self) -> MutexGuard<'_, Vec<Summary>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(EXTENSION)
    }
}

/// An id that sorts by time: microseconds, then chance. It never sorts before the newest one,
/// even when the clock was set back.
fn new_id(now: Timestamp, newest: Option<&Summary>) -> String {
    let newest = newest.and_then(|mail| micros(&mail.id));
    let micros = newest.map_or(now.as_microsecond(), |last| {
        now.as_microsecond().max(last + 1)
    });
    let chance = &Uuid::new_v4().simple().to_string()[..8];
    format!("{micros:014x}{chance}")
}

fn micros(id: &str) -> Option<i64> {
    let valid = id.len() == 22 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    i64::from_str_radix(id.get(..14).filter(|_| valid)?, 16).ok()
}

/// When the mail with this id was filed; `None` for a name this store never gives.
fn created(id: &str) -> Option<Timestamp> {
    Timestamp::from_microsecond(micros(id)?).ok()
}

/// Writes under another name, flushes to disk, then renames: a reader sees all of it or nothing.
fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let partial = path.with_extension("part");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(&partial)?;
    file.write_all(content)?;
    file.sync_all()?;
    std::fs::rename(&partial, path)
}

/// Nobody else on this machine may read sign-in codes.
fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder)
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
