//! Embedded Postgres: found, initialised, started and stopped by this process.
//!
//! A [`Cluster`] is one data folder and the server that runs on it. It exists so
//! that `wildfire start` needs no database beside it, and so that tests run
//! against the same Postgres. Everything that can go wrong around a server
//! somebody else usually looks after has a defined outcome here: started by
//! root, a taken port, a stale `postmaster.pid`, a killed parent, a data folder
//! of another major version, a full disk.
//!
//! ```no_run
//! # async fn example() -> Result<(), platform::cluster::ClusterError> {
//! use platform::cluster::{Binaries, Cluster, FindOptions};
//!
//! let binaries = Binaries::find(&FindOptions::detect())?;
//! let cluster = Cluster::temporary(binaries).start().await?;
//! let url = cluster.superuser_url("postgres");
//! cluster.stop().await?;
//! # Ok(())
//! # }
//! ```

mod account;
mod binaries;
mod builder;
mod data_dir;
mod error;
mod hold;
mod leftover;
#[cfg(target_os = "linux")]
mod orphans;
mod own;
mod password;
mod relocate;
mod server;
mod settings;
mod supervise;
mod temporary;

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

pub use self::binaries::{
    Binaries, FindOptions, Origin, SUPPORTED_MAJORS, TRUSTED_EXTENSIONS, TRUSTED_MAJOR,
};
pub use self::builder::ClusterBuilder;
pub use self::data_dir::major_of as data_dir_major;
pub use self::error::ClusterError;
pub use self::hold::Hold;
pub use self::leftover::clear as stop_leftover;
#[cfg(target_os = "linux")]
pub use self::orphans::reap_orphans;
pub use self::relocate::location_of as data_dir_location;

use self::builder::{Prepared, blocking};
use self::server::Server;

/// The role `initdb` creates; Supabase's name for the superuser.
pub const SUPERUSER: &str = "supabase_admin";

/// What has to be escaped in a part of a URL.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// How long a fast shutdown may take before it becomes an immediate one.
const FAST_SHUTDOWN: Duration = Duration::from_secs(30);
/// How long an immediate shutdown may take before the server is killed.
const IMMEDIATE_SHUTDOWN: Duration = Duration::from_secs(5);

/// The longest that stopping a server may take.
pub const LONGEST_SHUTDOWN: Duration = FAST_SHUTDOWN.saturating_add(IMMEDIATE_SHUTDOWN);

/// A running Postgres server. Dropping it stops the server.
#[derive(Debug)]
pub struct Cluster {
    // Field order is drop order: the server goes before the folder it uses, and
    // the lock on the folder goes last.
    server: Server,
    password_changed: bool,
    /// What starts the server again, on the same port.
    builder: ClusterBuilder,
    prepared: Prepared,
}

impl Cluster {
    /// Prepares a cluster on `data_dir`; nothing happens before `start`.
    pub fn builder(binaries: Binaries, data_dir: impl Into<PathBuf>) -> ClusterBuilder {
        ClusterBuilder::new(binaries, Some(data_dir.into()))
    }

    /// A throw-away cluster in the system's temporary folder: a free port, no
    /// fsync, and the folder is deleted when the cluster stops.
    pub fn temporary(binaries: Binaries) -> ClusterBuilder {
        ClusterBuilder::new(binaries, None).durable(false)
    }

    /// The TCP port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.builder.port
    }

    /// The major version of the server, for example 18.
    pub fn major(&self) -> u32 {
        self.prepared.binaries.major()
    }

    /// The folder the server really uses.
    pub fn data_dir(&self) -> &Path {
        &self.prepared.place.data_dir
    }

    /// The folder that was asked for, when the server had to use another one
    /// because its unprivileged account may not enter that folder.
    pub fn moved_from(&self) -> Option<&Path> {
        self.prepared.place.moved_from.as_deref()
    }

    /// Whether this start created the data folder.
    pub fn initialised(&self) -> bool {
        self.prepared.initialised
    }

    /// Whether the folder had another superuser password until this start.
    pub fn password_changed(&self) -> bool {
        self.password_changed
    }

    /// The folder in which extensions are described.
    pub fn extensions(&self) -> PathBuf {
        self.prepared.binaries.extensions()
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// A connection URL. TLS is off because the server listens on loopback only,
    /// and clients that insist on TLS by default need to be told.
    pub fn url(&self, user: &str, password: &str, database: &str) -> String {
        url_at(self.port(), user, password, database)
    }

    /// A connection URL of the superuser.
    pub fn superuser_url(&self, database: &str) -> String {
        self.url(SUPERUSER, self.builder.password.expose(), database)
    }

    /// Resolves when the server is gone, whoever stopped it.
    pub async fn exited(&self) {
        self.server.exited().await;
    }

    /// Stops the server: sessions are ended, everything committed is flushed.
    pub async fn stop(self) -> Result<(), ClusterError> {
        self.server.stop(FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN).await?;
        let data_dir = self.data_dir().to_owned();
        // Of a server that was killed, processes may be left that are in the middle of something.
        blocking(move || leftover::clear(&data_dir)).await
    }
}

/// A connection URL of the server that a process of this machine runs at `port`; see
/// [`Cluster::url`].
pub fn url_at(port: u16, user: &str, password: &str, database: &str) -> String {
    let user = utf8_percent_encode(user, RESERVED);
    let password = utf8_percent_encode(password, RESERVED);
    let database = utf8_percent_encode(database, RESERVED);
    format!("postgresql://{user}:{password}@127.0.0.1:{port}/{database}?sslmode=disable")
}

/// Names folders after what they belong to.
fn short_hash(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let digest = hash.finalize();
    let start = digest
        .iter()
        .take(8)
        .fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    format!("{start:016x}")
}
