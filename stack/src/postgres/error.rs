//! What can go wrong between the start of the stack and a migrated database.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;

use platform::cluster::ClusterError;
use platform::pg::{DbError, SqlState};
use url::Url;

use crate::secrets::SecretsError;

/// Why there is no database.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The port of the embedded server.
    #[error(
        "Port {port} on 127.0.0.1 is already in use, and Postgres needs it. Choose another one \
         with --db-port (0 picks a free one) or with db.port in supabase/config.toml."
    )]
    PortTaken {
        /// The port that was asked for.
        port: u16,
    },
    /// The embedded server.
    #[error("{0}")]
    Cluster(ClusterError),
    /// A connection URL.
    #[error("The database URL cannot be read: {0}")]
    Url(#[from] url::ParseError),
    /// The database somebody brought does not let us in.
    #[error("{}", unreachable(url, source))]
    Unreachable {
        /// Its address, with credentials.
        url: Box<Url>,
        /// Why.
        source: DbError,
    },
    /// Roles of an existing installation have passwords this one does not know.
    #[error(
        "The role {role} of this database has a password that is not known here. Set \
         POSTGRES_PASSWORD to the password of the service roles."
    )]
    RolePassword {
        /// The role.
        role: &'static str,
    },
    /// A backup of another version of Postgres.
    #[error(
        "The backup is of Postgres {major}, and the Postgres here is version {have}. Install Postgres \
         {major} and set WILDFIRE_PG_BIN to its bin folder (Debian: \
         /usr/lib/postgresql/{major}/bin)."
    )]
    BackupMajor {
        /// The backup's.
        major: u32,
        /// What is here.
        have: u32,
    },
    /// Another environment than the one the server was started with.
    #[error(
        "The running Postgres does not let this command in. Give it the environment that `wildfire \
         start` has: WILDFIRE_ENV, and POSTGRES_PASSWORD if it is set there."
    )]
    OtherEnvironment,
    /// A backup whose beginning is not known.
    #[error("Postgres returned a backup label that cannot be read: {0:?}")]
    BackupLabel(String),
    /// A statement or migration failed.
    #[error("{0}")]
    Database(#[from] DbError),
    /// A password could not be kept.
    #[error("{0}")]
    Secrets(#[from] SecretsError),
}

/// Host and port, as people say them.
pub(super) fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or("localhost");
    format!("{host}:{}", url.port().unwrap_or(5432))
}

/// What keeps us from a database, and what to do about it. Never the password.
fn unreachable(url: &Url, source: &DbError) -> String {
    let at = address(url);
    let host = url.host_str().unwrap_or("localhost");
    let user = url.username();
    let database = url.path().trim_start_matches('/');
    if let Some(code) = source.code() {
        let said = source.message().unwrap_or_default();
        return match *code {
            SqlState::INVALID_PASSWORD => format!(
                "The database at {at} refuses the password of the role {user}, or has no such role. \
                 Correct the URL; characters such as @ : / % have to be percent-encoded there."
            ),
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION => format!(
                "The database at {at} does not let the role {user} in ({said}). Name a role that it \
                 has, or let this one in there (`create role`, pg_hba.conf)."
            ),
            SqlState::INVALID_CATALOG_NAME => format!(
                "The server at {at} has no database {database:?}. Create it there, or correct the end \
                 of the URL."
            ),
            SqlState::TOO_MANY_CONNECTIONS => format!(
                "The server at {at} has no connection left. End some there, or raise its \
                 max_connections."
            ),
            _ => format!("The database at {at} cannot be used: {source}."),
        };
    }
    let io = causes(source).find_map(|cause| cause.downcast_ref::<io::Error>());
    let said = causes(source).last().map(ToString::to_string);
    let said = said.unwrap_or_default();
    match io.map(io::Error::kind) {
        Some(ErrorKind::ConnectionRefused) => format!(
            "Nothing listens at {at}. Start that server, or correct host and port in the database's \
             URL."
        ),
        Some(ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            no_answer(&at)
        }
        // The standard library has no kind for it.
        Some(_) if said.contains("lookup") => format!(
            "The host {host} is not known here. Correct its name in the database's URL, or look whether \
             this machine's name service works."
        ),
        None if matches!(source, DbError::Pool(_)) => no_answer(&at),
        _ if said.to_lowercase().contains("tls") => format!(
            "The server at {at} and this program agree on no encryption ({said}). Where the way there \
             is trusted, add ?sslmode=disable to the URL."
        ),
        _ => format!("The database at {at} cannot be reached: {said}."),
    }
}

fn no_answer(at: &str) -> String {
    format!(
        "{at} does not answer. Look for a firewall in between, and whether the server lets this \
         machine's address in."
    )
}

fn causes(error: &DbError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    iter::successors(Some(first), |error| (*error).source())
}

impl From<ClusterError> for PostgresError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::PortTaken { port } => Self::PortTaken { port },
            other => Self::Cluster(other),
        }
    }
}
