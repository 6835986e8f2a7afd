//! Reading an archive, which may be anything: no byte of it is believed before it was compared, and
//! nothing in it decides where something is written or how much.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use platform::env::Secret;
use sha2::{Digest as _, Sha256};
use tar::EntryType;

use super::error::BackupError;
use super::manifest::{self, Entry, Manifest};
use super::progress::Progress;
use super::seal::{self, Opened};
use super::walk::is_passing;

const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Most files and folders of an archive.
const MOST_ENTRIES: usize = 500_000;
/// What a tar file may have after its last entry.
const LONGEST_END: u64 = 64 << 10;

/// An archive.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) passphrase: Option<&'a Secret<String>>,
    pub(super) progress: &'a Progress,
}

/// What becomes of what is in it.
pub(super) trait Receive {
    fn folder(&mut self, path: &str, mode: u32) -> Result<(), BackupError>;
    fn file(&mut self, path: &str, mode: u32, content: &mut dyn Read) -> Result<(), BackupError>;
}

/// Looks, and keeps nothing.
pub(super) struct Nowhere;

impl Receive for Nowhere {
    fn folder(&mut self, _: &str, _: u32) -> Result<(), BackupError> {
        Ok(())
    }

    fn file(&mut self, _: &str, _: u32, content: &mut dyn Read) -> Result<(), BackupError> {
        // What fails is asked for afterwards.
        _ = io::copy(content, &mut io::sink());
        Ok(())
    }
}

/// Whether an archive is encrypted.
pub(super) fn is_sealed(path: &Path) -> Result<bool, BackupError> {
    let mut file = open(path)?;
    let start = file.fill_buf().map_err(|error| unopened(path, error))?;
    Ok(start.starts_with(seal::MAGIC))
}

impl Source<'_> {
    /// Reads it from the first byte to the last and hands on what is in it, each file before it is known
    /// to be whole.
    pub(super) fn read(&self, receive: &mut dyn Receive) -> Result<Manifest, BackupError> {
        let mut tar = tar::Archive::new(GzDecoder::new(self.opened()?));
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut manifest = None;
        let entries = tar.entries().map_err(|error| self.unread(error))?;
        for entry in entries.raw(true) {
            let mut entry = entry.map_err(|error| self.unread(error))?;
            let path = entry.path_bytes().into_owned();
            let named = path_of(&path).filter(|path| is_of_a_backup(path));
            let path = named.ok_or_else(|| {
                self.damaged(format!(
                    "it holds the path {:?}",
                    String::from_utf8_lossy(&path)
                ))
            })?;
            if manifest.is_some() {
                return Err(self.damaged("something follows its end"));
            }
            if path == manifest::NAME {
                manifest = Some(self.manifest(&mut entry)?);
                continue;
            }
            if !seen.insert(path.clone()) {
                return Err(self.damaged(format!("it holds {path} twice")));
            }
            if found.len() == MOST_ENTRIES {
                return Err(self.damaged("it holds too many files"));
            }
            found.push(self.hand_on(path, &mut entry, receive)?);
        }
        self.end(tar)?;
        let manifest = manifest.ok_or_else(|| BackupError::CutOff(self.path.to_owned()))?;
        if let Some(path) = first_difference(&manifest.entries, &found) {
            return Err(self.damaged(format!("{path} is not what was written")));
        }
        Ok(manifest)
    }

    fn hand_on(
        &self,
        path: String,
        entry: &mut tar::Entry<'_, impl Read>,
        receive: &mut dyn Receive,
    ) -> Result<Entry, BackupError> {
        let header = entry.header();
        let kind = header.entry_type();
        let mode = header.mode().map_err(|error| self.unread(error))? & 0o755;
        match kind {
            EntryType::Directory => {
                receive.folder(&path, mode)?;
                Ok(Entry {
                    path,
                    size: 0,
                    sha256: None,
                })
            }
            EntryType::Regular => {
                let mut content = Content {
                    inner: entry,
                    hash: Sha256::new(),
                    size: 0,
                    failed: None,
                    progress: self.progress,
                };
                let received = receive.file(&path, mode, &mut content);
                if self.progress.is_stopped() {
                    return Err(BackupError::Interrupted);
                }
                if let Some(error) = content.failed {
                    return Err(self.unread(error));
                }
                received?;
                let sha256 = Some(hex::encode(content.hash.finalize()));
                Ok(Entry {
                    path,
                    size: content.size,
                    sha256,
                })
            }
            _ => Err(self.damaged(format!("{path} is neither a file nor a folder"))),
        }
    }

    fn manifest(&self, entry: &mut impl Read) -> Result<Manifest, BackupError> {
        let mut text = Vec::new();
        let read = entry.take(manifest::LARGEST + 1).read_to_end(&mut text);
        read.map_err(|error| self.unread(error))?;
        if text.len() as u64 > manifest::LARGEST {
            return Err(self.damaged("its manifest is too large"));
        }
        let manifest = serde_json::from_slice::<Manifest>(&text);
        if let Ok(Head { format, version }) = serde_json::from_slice(&text)
            && format > manifest::FORMAT
        {
            let path = self.path.to_owned();
            return Err(BackupError::Newer {
                path,
                version,
                format,
            });
        }
        manifest.map_err(|_| self.damaged("its manifest cannot be read"))
    }

    /// What comes after the last entry ends the compression, which checks itself, and is the end of the file.
    fn end(&self, tar: tar::Archive<GzDecoder<Box<dyn BufRead>>>) -> Result<(), BackupError> {
        let mut rest = tar.into_inner();
        let read = io::copy(&mut rest.by_ref().take(LONGEST_END), &mut io::sink());
        let read = read.map_err(|error| self.unread(error))?;
        let mut after = rest.into_inner();
        let left = after.fill_buf().map_err(|error| self.unread(error))?;
        if read == LONGEST_END || !left.is_empty() {
            return Err(self.damaged("something follows its end"));
        }
        Ok(())
    }

    fn opened(&self) -> Result<Box<dyn BufRead>, BackupError> {
        let mut file = open(self.path)?;
        let start = file
            .fill_buf()
            .map_err(|error| unopened(self.path, error))?;
        if start.starts_with(&GZIP) {
            return match self.passphrase {
                None => Ok(Box::new(file)),
                Some(_) => Err(BackupError::NotEncrypted(self.path.to_owned())),
            };
        }
        if !start.starts_with(seal::MAGIC) {
            return Err(BackupError::Foreign(self.path.to_owned()));
        }
        let passphrase = self
            .passphrase
            .ok_or_else(|| BackupError::Encrypted(self.path.to_owned()))?;
        match Opened::new(file, passphrase) {
            Ok(opened) => Ok(Box::new(BufReader::with_capacity(64 << 10, opened))),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Err(BackupError::WrongPassphrase(self.path.to_owned()))
            }
            Err(error) => Err(self.unread(error)),
        }
    }

    fn unread(&self, error: io::Error) -> BackupError {
        if error.raw_os_error().is_some() {
            return unopened(self.path, error);
        }
        match error.kind() {
            ErrorKind::UnexpectedEof => BackupError::CutOff(self.path.to_owned()),
            _ => self.damaged("its content does not fit together"),
        }
    }

    fn damaged(&self, what: impl Into<String>) -> BackupError {
        BackupError::Damaged {
            path: self.path.to_owned(),
            what: what.into(),
        }
    }
}

/// What is the same in every format.
#[derive(serde::Deserialize)]
struct Head {
    format: u32,
    version: String,
}

/// A file of the archive on its way out.
struct Content<'a, R> {
    inner: &'a mut R,
    hash: Sha256,
    size: u64,
    failed: Option<io::Error>,
    progress: &'a Progress,
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_stopped() {
            return Err(io::Error::other("stopped"));
        }
        match self.inner.read(buffer) {
            Ok(read) => {
                self.hash.update(&buffer[..read]);
                self.size += read as u64;
                self.progress.add(read);
                Ok(read)
            }
            Err(error) => {
                self.failed = Some(error);
                Err(io::Error::other("unreadable"))
            }
        }
    }
}

fn open(path: &Path) -> Result<BufReader<File>, BackupError> {
    let file = File::open(path).map_err(|error| unopened(path, error))?;
    Ok(BufReader::with_capacity(128 << 10, file))
}

fn unopened(path: &Path, source: io::Error) -> BackupError {
    BackupError::Open {
        path: PathBuf::from(path),
        source,
    }
}

/// A path that leads into the folder it is unpacked to, and nowhere else.
fn path_of(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_suffix('/').unwrap_or(text);
    let is_name =
        |name: &str| !name.is_empty() && name != "." && name != ".." && !name.contains('\0');
    text.split('/').all(is_name).then(|| text.to_owned())
}

/// Whether a backup has such a path; a restore keeps others for itself.
fn is_of_a_backup(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    path == manifest::NAME || !is_passing(first)
}

fn first_difference(written: &[Entry], found: &[Entry]) -> Option<String> {
    let differs = written
        .iter()
        .zip(found)
        .find(|(written, found)| written != found);
    if let Some((written, _)) = differs {
        return Some(written.path.clone());
    }
    let longer = written
        .get(found.len())
        .or_else(|| found.get(written.len()));
    longer.map(|entry| entry.path.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere_are_none() {
        for path in [
            "",
            "/",
            "/etc/passwd",
            "../a",
            "a/../b",
            "a//b",
            "./a",
            "a/.",
            "a\0b",
        ] {
            assert_eq!(path_of(path.as_bytes()), None, "{path:?}");
        }
        assert_eq!(path_of(b"\xff"), None);
        assert_eq!(path_of(b"mail/"), Some("mail".to_owned()));
        assert_eq!(path_of(b"a/..b"), Some("a/..b".to_owned()));
    }
}
