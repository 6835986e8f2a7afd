//! What can go wrong between a service and its database.

use deadpool_postgres::{HookError, PoolError};
use tokio_postgres::error::{DbError as ServerError, SqlState};

use super::QuoteError;

/// A failed database call. Its text is for logs; it never goes into an answer.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// No connection could be had in time.
    #[error("no database connection: {0}")]
    Pool(#[source] PoolError),
    /// Postgres refused the statement or the connection broke.
    #[error("{}", describe(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// The database does not look as the code expects.
    #[error("column {column} is not as expected")]
    Inconsistent {
        /// The column that is missing, null or of another type.
        column: String,
        /// What the driver said.
        #[source]
        source: Option<tokio_postgres::Error>,
    },
    /// A connection setting could not be used.
    #[error("database settings: {0}")]
    Config(String),
    /// A name or a value cannot stand in a statement.
    #[error(transparent)]
    Quote(#[from] QuoteError),
    /// A migration cannot be applied.
    #[error("{0}")]
    Migration(String),
}

/// The driver's own text hides the server's message behind its source.
fn describe(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(
        || error.to_string(),
        |server| format!("{} ({})", server.message(), server.code().code()),
    )
}

impl DbError {
    /// The server's report, if the server made one.
    pub fn server(&self) -> Option<&ServerError> {
        match self {
            Self::Postgres(error) => error.as_db_error(),
            _ => None,
        }
    }

    /// The SQLSTATE of the failure.
    pub fn code(&self) -> Option<&SqlState> {
        self.server().map(ServerError::code)
    }

    /// The constraint that was violated.
    pub fn constraint(&self) -> Option<&str> {
        self.server().and_then(ServerError::constraint)
    }

    /// The server's message: may hold values of rows, so it is for code and logs.
    pub fn message(&self) -> Option<&str> {
        self.server().map(ServerError::message)
    }

    /// Whether the transaction lost a race, also one against a change of its tables, and may
    /// simply be run again.
    pub fn is_retryable(&self) -> bool {
        self.is_stale_plan()
            || matches!(
                self.code(),
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
            )
    }

    /// Whether a prepared statement no longer fits its tables ("cached plan must not change
    /// result type"). Postgres says so in its log's language, hence the routine.
    pub(super) fn is_stale_plan(&self) -> bool {
        self.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
            && self.server().and_then(ServerError::routine) == Some("RevalidateCachedQuery")
    }
}

impl From<PoolError> for DbError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                Self::Postgres(error)
            }
            other => Self::Pool(other),
        }
    }
}
