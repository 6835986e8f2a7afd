//! Writing an archive: a tar file, compressed, sealed if there is a passphrase.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use platform::env::Secret;
use sha2::{Digest as _, Sha256};
use tar::{EntryType, Header};

use super::error::BackupError;
use super::manifest::{self, Entry, Manifest};
use super::progress::Progress;
use super::seal::Sealed;
use super::target::Target;
use super::walk::{CONTROL, Database, Folder, Item};

/// How often a file is read that does not come out the same twice.
const MOST_READS: u32 = 100;

/// What every version of Postgres gives its control file.
const CONTROL_SIZE: usize = 8192;

type Sink = BufWriter<Box<dyn Write + Send>>;

/// An archive that is being written.
pub(super) struct Archive {
    tar: tar::Builder<GzEncoder<Output>>,
    target: Target,
    entries: Vec<Entry>,
    progress: Progress,
}

enum Output {
    Plain(Sink),
    Sealed(Box<Sealed<Sink>>),
}

/// What the archive says besides what is in it.
pub(super) struct Facts {
    pub(super) taken_at: Timestamp,
    pub(super) postgres_major: u32,
    pub(super) system_identifier: u64,
}

impl Archive {
    pub(super) fn create(
        target: Target,
        passphrase: Option<&Secret<String>>,
        progress: Progress,
    ) -> Result<Self, BackupError> {
        let sink = BufWriter::with_capacity(128 << 10, target.writer()?);
        let output = match passphrase {
            Some(passphrase) => {
                let sealed = Sealed::new(sink, passphrase).map_err(|error| target.failed(error))?;
                Output::Sealed(Box::new(sealed))
            }
            None => Output::Plain(sink),
        };
        // The fastest: a quarter larger than the slowest, and the machine has others to serve.
        let tar = tar::Builder::new(GzEncoder::new(output, Compression::fast()));
        Ok(Self {
            tar,
            target,
            entries: Vec::new(),
            progress,
        })
    }

    /// Adds a data folder.
    pub(super) fn add_folder(
        &mut self,
        folder: &Folder,
        database: Database,
    ) -> Result<(), BackupError> {
        folder.visit(database, &mut |path, item| match item {
            Item::Folder { mode } => self.add(path, mode, None, &mut io::empty()),
            Item::File(file) => self.add_file(folder, path, &file),
        })?;
        let bytes = control_of(folder)?;
        self.add_bytes(CONTROL, &bytes)
    }

    /// Adds a file with as many bytes as it has now.
    pub(super) fn add_file(
        &mut self,
        folder: &Folder,
        path: &str,
        file: &File,
    ) -> Result<(), BackupError> {
        let unreadable = |source| BackupError::Read {
            path: folder.path().join(path),
            source,
        };
        let metadata = file.metadata().map_err(unreadable)?;
        let size = metadata.len();
        let mut bytes = Exactly {
            inner: file,
            left: size,
            failed: None,
            progress: self.progress.clone(),
        };
        let added = self.add(path, metadata.mode() & 0o777, Some(size), &mut bytes);
        match bytes.failed {
            Some(source) => Err(unreadable(source)),
            None => added,
        }
    }

    /// Adds a file that is in memory.
    pub(super) fn add_bytes(&mut self, path: &str, mut bytes: &[u8]) -> Result<(), BackupError> {
        self.add(path, 0o600, Some(bytes.len() as u64), &mut bytes)
    }

    /// Adds what it is, completes it, and gives it its name.
    pub(super) fn finish(mut self, facts: &Facts) -> Result<Manifest, BackupError> {
        let manifest = Manifest {
            format: manifest::FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            taken_at: facts.taken_at,
            postgres_major: facts.postgres_major,
            system_identifier: facts.system_identifier,
            entries: std::mem::take(&mut self.entries),
        };
        let text =
            serde_json::to_vec(&manifest).map_err(|error| self.target.failed(error.into()))?;
        self.add_bytes(manifest::NAME, &text)?;
        let Self {
            tar,
            target,
            progress,
            ..
        } = self;
        let ended = tar
            .into_inner()
            .and_then(GzEncoder::finish)
            .and_then(Output::finish);
        ended.map_err(|error| target.failed(error))?;
        if !progress.end() {
            return Err(BackupError::Interrupted);
        }
        target.finish()?;
        Ok(manifest)
    }

    fn add(
        &mut self,
        path: &str,
        mode: u32,
        size: Option<u64>,
        bytes: &mut dyn Read,
    ) -> Result<(), BackupError> {
        let mut header = Header::new_ustar();
        let kind = if size.is_some() {
            EntryType::Regular
        } else {
            EntryType::Directory
        };
        header.set_entry_type(kind);
        let named = header.set_path(path);
        named.map_err(|_| BackupError::LongPath(path.to_owned()))?;
        header.set_size(size.unwrap_or(0));
        header.set_mode(mode);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_cksum();
        let mut hashed = Hashed {
            inner: bytes,
            hash: Sha256::new(),
        };
        let added = self.tar.append(&header, &mut hashed);
        let sha256 = hex::encode(hashed.hash.finalize());
        if self.progress.is_stopped() {
            return Err(BackupError::Interrupted);
        }
        added.map_err(|error| self.target.failed(error))?;
        self.entries.push(Entry {
            path: path.to_owned(),
            size: size.unwrap_or(0),
            sha256: size.map(|_| sha256),
        });
        Ok(())
    }
}

impl Output {
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut sink) => sink.flush(),
            Self::Sealed(sealed) => sealed.finish()?.flush(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(sink) => sink.write(bytes),
            Self::Sealed(sealed) => sealed.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.flush(),
            Self::Sealed(sealed) => sealed.flush(),
        }
    }
}

/// As many bytes as were announced, whatever becomes of the file meanwhile: Postgres' log repairs what is
/// missing, and zeros stand where it was cut.
struct Exactly<'a> {
    inner: &'a File,
    left: u64,
    failed: Option<io::Error>,
    progress: Progress,
}

impl Read for Exactly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = buffer
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        if self.progress.is_stopped() {
            return Err(io::Error::other("stopped"));
        }
        let buffer = &mut buffer[..wanted];
        let read = match self.inner.read(buffer) {
            Ok(0) => {
                buffer.fill(0);
                wanted
            }
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                self.failed = Some(error);
                return Err(io::Error::other("unreadable"));
            }
        };
        self.left -= read as u64;
        self.progress.add(read);
        Ok(read)
    }
}

struct Hashed<'a> {
    inner: &'a mut dyn Read,
    hash: Sha256,
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// Postgres' control file, read until it is the same twice: Postgres may be writing it.
pub(super) fn control_of(folder: &Folder) -> Result<Vec<u8>, BackupError> {
    read_still(folder, CONTROL).map_err(|source| BackupError::Read {
        path: folder.path().join(CONTROL),
        source,
    })
}

fn read_still(folder: &Folder, path: &str) -> io::Result<Vec<u8>> {
    let file = folder.open_below(path)?;
    let read = || {
        let mut bytes = vec![0; CONTROL_SIZE];
        file.read_exact_at(&mut bytes, 0)?;
        io::Result::Ok(bytes)
    };
    let mut before = read()?;
    for _ in 0..MOST_READS {
        let now = read()?;
        if now == before {
            return Ok(now);
        }
        before = now;
    }
    Err(io::Error::other("it changes all the time"))
}
