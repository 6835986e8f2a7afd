//! What can go wrong between a service and its database.

use deadpool::managed::PoolError;
use tokio_postgres::error::{DbError as ServerError, SqlState};

use super::QuoteError;

/// A failed database call. Its text is for logs; it never goes into an answer.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// No connection could be had in time.
    #[error("no database connection: {0}")]
    Pool(#[source] PoolError<tokio_postgres::Error>),
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
        self.is_outdated()
            || matches!(
                self.code(),
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
            )
    }

    /// Whether a prepared statement cannot be run any more, though its text may well be. It did
    /// nothing.
    pub(super) fn is_outdated(&self) -> bool {
        self.is_stale_plan() || self.is_statement_gone()
    }

    /// Whether a prepared statement no longer fits its tables ("cached plan must not change
    /// result type"). Postgres says so in its log's language, hence the routine.
    fn is_stale_plan(&self) -> bool {
        self.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
            && self.routine() == Some("RevalidateCachedQuery")
    }

    /// Whether the server does not know a statement that was prepared on this connection. A function
    /// that misses one of its own, which is another matter, is named in the context.
    pub(super) fn is_statement_gone(&self) -> bool {
        self.code() == Some(&SqlState::INVALID_SQL_STATEMENT_NAME)
            && self.routine() == Some("FetchPreparedStatement")
            && self.server().and_then(ServerError::where_).is_none()
    }

    fn routine(&self) -> Option<&str> {
        self.server().and_then(ServerError::routine)
    }
}

impl From<PoolError<tokio_postgres::Error>> for DbError {
    fn from(error: PoolError<tokio_postgres::Error>) -> Self {
        match error {
            PoolError::Backend(error) => Self::Postgres(error),
            other => Self::Pool(other),
        }
    }
}
