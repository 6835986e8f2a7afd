//! What can go wrong between the start of the stack and a migrated database.

use platform::cluster::ClusterError;
use platform::pg::{DbError, Unreachable};

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
    #[error("{0}")]
    Unreachable(#[from] Unreachable),
    /// The database somebody brought is a copy.
    #[error(
        "The server at {at} is a standby, which takes no changes. Name the server that it follows."
    )]
    Standby {
        /// Its address.
        at: String,
    },
    /// The database somebody brought is set not to be changed.
    #[error(
        "The database {database} at {at} is read-only, and Wildfire keeps its data there. If that is no \
         longer meant: alter database \"{database}\" reset default_transaction_read_only; (or `alter role \
         … reset`, or the server's own setting, wherever it stands)."
    )]
    ReadOnly {
        /// The address of its server.
        at: String,
        /// Its name.
        database: String,
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

impl From<ClusterError> for PostgresError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::PortTaken { port } => Self::PortTaken { port },
            other => Self::Cluster(other),
        }
    }
}
