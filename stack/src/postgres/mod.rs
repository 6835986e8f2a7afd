//! The database of the stack: an embedded server, or one that somebody brings.

mod backup;
mod bootstrap;
mod embedded;
mod error;
mod external;
pub(crate) mod history;
mod logins;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use platform::cluster::Cluster;
use platform::env::{Secret, Vars};
use platform::pg::{Database, DatabaseConfig, DatabaseUrls, Offer, Unreachable};
use platform::service::Definition;

use crate::config_toml::Project;
use crate::secrets::Secrets;

pub use backup::{Copied, Copying, major, system_identifier};
pub use embedded::{check_major, check_reach, data_dir, wait_until_up};
pub use error::PostgresError;
pub use logins::create as create_logins;

/// What opening a database takes.
pub struct OpenOptions<'a> {
    /// The folder of this installation.
    pub data_dir: &'a Path,
    /// The project's folder, which may have Postgres among its packages.
    pub workdir: &'a Path,
    /// The project's settings.
    pub project: &'a Project,
    /// The passwords.
    pub secrets: &'a Secrets,
    /// The environment, which may say where Postgres is.
    pub vars: &'a Vars,
    /// The port of an embedded server; 0 picks a free one.
    pub port: u16,
    /// The port of an embedded server that another process of this installation runs.
    pub running: Option<u16>,
    /// A server to use instead of an embedded one.
    pub url: Option<&'a str>,
    /// Whose part of the database is brought up to date, in this order.
    pub services: &'a [&'static Definition],
}

impl OpenOptions<'_> {
    /// The roles that services, and who migrates for them, log in as.
    fn logins(&self) -> BTreeSet<&'static str> {
        let services = self.services.iter();
        services.flat_map(|service| service.logins()).collect()
    }
}

/// A database that is open and migrated.
pub struct Postgres {
    cluster: Option<Cluster>,
    /// Of a project's own migrations, and of people.
    owner_url: String,
    urls: DatabaseUrls,
    offer: Offer,
    /// What was done on the way, for whoever started it.
    pub report: Report,
}

/// The server that a project is applied to.
#[derive(Clone, Debug)]
pub enum Server {
    /// Started by this program.
    Embedded {
        /// In words.
        name: String,
        /// Its major version.
        major: u32,
        /// Where it looks for extensions.
        extensions: PathBuf,
    },
    /// Somebody else's.
    External,
}

/// What opening a database did.
#[derive(Debug, Default)]
pub struct Report {
    /// The server, in words.
    pub server: String,
    /// Whether the data folder was created.
    pub initialised: bool,
    /// Where the data really is, when it could not be where it was asked for.
    pub moved_to: Option<PathBuf>,
    /// Migrations that ran.
    pub applied: Vec<String>,
}

impl Postgres {
    /// Refuses what [`Self::open`] would, as far as a look tells. Writes and starts nothing.
    pub fn check(options: &OpenOptions<'_>) -> Result<(), PostgresError> {
        match options.url {
            Some(url) => external::check(url),
            None => embedded::check(options),
        }
    }

    /// As [`Self::check`], for an embedded database in place of the one that is there.
    pub fn check_new(options: &OpenOptions<'_>) -> Result<(), PostgresError> {
        embedded::check_new(options)
    }

    /// Starts the server, or reaches the one that runs or was brought, and brings roles and schemas up to date.
    pub async fn open(options: &OpenOptions<'_>) -> Result<Self, PostgresError> {
        match (options.url, options.running) {
            (Some(url), _) => external::open(options, url).await,
            (None, Some(port)) => embedded::reach(options, port).await,
            (None, None) => embedded::open(options).await,
        }
    }

    /// For a project's own migrations and for people: the role `postgres`, or whoever
    /// owns a database somebody brought.
    pub fn owner_url(&self) -> &str {
        &self.owner_url
    }

    /// For the services.
    pub fn urls(&self) -> &DatabaseUrls {
        &self.urls
    }

    /// The server that a project's files are applied to.
    pub fn server(&self) -> Server {
        match &self.cluster {
            Some(cluster) => Server::Embedded {
                name: self.report.server.clone(),
                major: cluster.major(),
                extensions: cluster.extensions(),
            },
            None => Server::External,
        }
    }

    /// How many connections there can be.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// The port of the embedded server.
    pub fn port(&self) -> Option<u16> {
        self.cluster.as_ref().map(Cluster::port)
    }

    /// Starts an embedded server again whenever it ends; another one is somebody else's to keep.
    pub async fn keep_running(&mut self) -> Infallible {
        match &mut self.cluster {
            Some(cluster) => cluster.keep_running().await,
            None => std::future::pending().await,
        }
    }

    /// Stops an embedded server.
    pub async fn stop(self) -> Result<(), PostgresError> {
        match self.cluster {
            Some(cluster) => Ok(cluster.stop().await?),
            None => Ok(()),
        }
    }
}

/// A small pool for work at the start: connections that are [made for
/// migrations](DatabaseConfig::for_migrations).
pub fn connect(url: &str) -> Result<Database, PostgresError> {
    Ok(Database::new(&config(url).for_migrations())?)
}

/// Whether the database at `url` can store changes; `None` if it does not say so in time.
pub async fn accepts_writes(url: &str, within: Duration) -> Result<Option<bool>, PostgresError> {
    let mut config = config(url);
    config.max_connections = 1;
    config.statement_timeout = None;
    // The time given here is for everything together.
    config.acquire_timeout = within * 2;
    let database = Database::new(&config)?;
    let told = |cause| Unreachable::new(url, cause);
    match tokio::time::timeout(within, database.accepts_writes()).await {
        Ok(answer) => Ok(Some(answer.map_err(told)?)),
        Err(_) => Ok(None),
    }
}

fn config(url: &str) -> DatabaseConfig {
    DatabaseConfig::new(Secret::from(url), "wildfire")
}
