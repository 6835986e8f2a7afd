//! Why there is no backup, or nothing was restored.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::lifecycle::LifecycleError;
use crate::postgres::PostgresError;

/// A backup or a restore that failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The archive would replace something.
    #[error(
        "{} is there already. Name another file, or pass --overwrite to replace it once the new \
         backup is complete.", .0.display()
    )]
    Exists(PathBuf),
    /// Two backups with one name.
    #[error("Another backup is being written to {}. Wait for it, or name another file.", .0.display())]
    BeingWritten(PathBuf),
    /// It would grow while it is copied into itself.
    #[error(
        "{} would be part of the folder that is backed up. Name a file outside of {}, best on \
         another disk.", file.display(), data_dir.display()
    )]
    Inside {
        /// The archive.
        file: PathBuf,
        /// What is backed up.
        data_dir: PathBuf,
    },
    /// Standard output is somebody's screen.
    #[error("An archive is nothing to read: write it to a file, or send it on with `|` or `>`.")]
    Terminal,
    /// There is no room, or the archive cannot be written for another reason.
    #[error("{}", write_failed(path, source))]
    Write {
        /// The archive.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the installation cannot be read.
    #[error("{} cannot be read: {source}. Run this as the account that runs Wildfire, or as root.", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What a copy of the folder would not have.
    #[error(
        "{} is a link or a device, and a backup holds only what is in the data folder itself. Put a \
         file or folder in its place (of a tablespace: `alter table … set tablespace pg_default`, then \
         drop it).", .0.display()
    )]
    Strange(PathBuf),
    /// What Postgres' account could lead root to.
    #[error(
        "{} belongs to another account than the database, and is no part of it. Look who put it or the \
         link to it there; give it to the account of the database (`chown -R`) if it is Postgres' log.",
        .0.display()
    )]
    OtherAccount(PathBuf),
    /// A disk that is not mounted, most likely: a copy without it would look complete.
    #[error(
        "{} leads to something that is not there. Mount or make what the link leads to, or remove the \
         link.", .0.display()
    )]
    Dangling(PathBuf),
    /// Names that the format has no room for.
    #[error("The path {0} is too long for an archive. Shorten it.")]
    LongPath(String),
    /// The server removed WAL that the copy needs.
    #[error(
        "Postgres has removed {0} before the copy was complete, and without it nothing could be \
         restored. Set max_slot_wal_keep_size to -1 and back up again."
    )]
    WalGone(String),
    /// The database in the middle of a backup.
    #[error("The database could not be backed up, and nothing is left of the attempt. {0}")]
    Postgres(#[from] PostgresError),
    /// The folder's lock.
    #[error("{0}")]
    Lifecycle(#[from] LifecycleError),
    /// Told to stop.
    #[error("Stopped before it was complete; nothing is left of it.")]
    Interrupted,
    /// Told to stop, and held up.
    #[error(
        "Stopped while a disk or a reader kept it waiting. Nothing else was changed; what may be left of \
         it (a name that ends in .part) is removed by the next attempt."
    )]
    Abandoned,
    /// A running database keeps its log meanwhile, until the disk is full.
    #[error(
        "Nothing could be read or written for {minutes} minutes, so it was given up. Look what holds \
         up the disk, or whoever reads or sends the archive."
    )]
    Stalled {
        /// How long.
        minutes: u64,
    },
    /// There is no such file, or no right to it.
    #[error("{} cannot be opened: {source}.", path.display())]
    Open {
        /// The archive.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Any other file.
    #[error("{} is not a backup of Wildfire. `wildfire backup FILE` makes one.", .0.display())]
    Foreign(PathBuf),
    /// It ends too early.
    #[error(
        "{} is cut off: its end is missing. Nothing was changed. Copy it again from where it was \
         made, or take another backup.", .0.display()
    )]
    CutOff(PathBuf),
    /// It is not what was written.
    #[error(
        "{} is damaged ({what}). Nothing was changed. Copy it again from where it was made, or take \
         another backup.", path.display()
    )]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// A newer program wrote it.
    #[error(
        "{} was written by Wildfire {version}, in a format (number {format}) that this version does \
         not know. Restore it with that version.", path.display()
    )]
    Newer {
        /// The archive.
        path: PathBuf,
        /// What wrote it.
        version: String,
        /// Its format.
        format: u32,
    },
    /// It is encrypted, and nothing was given to open it.
    #[error(
        "{} is encrypted. Set WILDFIRE_BACKUP_PASSPHRASE, name a file that holds the passphrase with \
         --passphrase-file, or run this on a terminal to be asked.", .0.display()
    )]
    Encrypted(PathBuf),
    /// Somebody else may have put it there: only who has the passphrase can make an encrypted one.
    #[error(
        "{} is not encrypted, although a passphrase is given: it is another file than the one that was \
         made with it. Nothing was changed. Restore only what you made; without --passphrase-file and \
         WILDFIRE_BACKUP_PASSPHRASE it is restored as it is.", .0.display()
    )]
    NotEncrypted(PathBuf),
    /// It is encrypted with another one.
    #[error("The passphrase does not open {}.", .0.display())]
    WrongPassphrase(PathBuf),
    /// A passphrase that is none.
    #[error("{0}")]
    Passphrase(String),
    /// More than the disk has.
    #[error(
        "Restoring takes {} MB in {}, and {} MB are free. Make room, or name a folder on another disk \
         with --data-dir.", needed.div_ceil(1 << 20), folder.display(), free >> 20
    )]
    NoRoom {
        /// Where.
        folder: PathBuf,
        /// Bytes.
        needed: u64,
        /// Bytes.
        free: u64,
    },
    /// Root would leave there what that account cannot read.
    #[error(
        "{} belongs to account {uid}, which could not read what root restores there. Run this as that \
         account (`sudo -u '#{uid}' …`).", data_dir.display()
    )]
    OfAccount {
        /// The folder.
        data_dir: PathBuf,
        /// Whose it is.
        uid: u32,
    },
    /// What cannot be renamed away.
    #[error(
        "{} is on a disk of its own and cannot be set aside. Restore into a new folder with \
         --data-dir, and move that folder's content here.", .0.display()
    )]
    OtherDisk(PathBuf),
    /// The data folder could not be written.
    #[error("{} cannot be written: {source}. {}", path.display(), "What was in the data folder is as it was.")]
    Unpack {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The last steps failed.
    #[error(
        "{} cannot be put in its place: {source}. Nothing is lost; run `wildfire restore` again to \
         finish.", path.display()
    )]
    Swap {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn write_failed(path: &Path, source: &io::Error) -> String {
    let path = path.display();
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!(
            "There is no room for {path}: the disk is full. Nothing is left of it; make room or name \
             a file on another disk."
        ),
        ErrorKind::BrokenPipe => "Whoever was to read the archive went away.".to_owned(),
        _ => format!("{path} cannot be written: {source}. Nothing is left of it."),
    }
}
