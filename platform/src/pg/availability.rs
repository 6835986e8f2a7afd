//! Which failures of the database go away by themselves.
//!
//! Decided here for every service: what this module calls temporary is answered with 503 and
//! `Retry-After`, whatever the caller was doing; everything else is a refusal or a fault of ours.

use std::time::Duration;

use deadpool::managed::{PoolError, TimeoutType};
use tokio_postgres::error::SqlState;

use super::DbError;
use crate::telemetry::seldom::{self, Seldom};

/// For a connection, a lock or a server that is starting again.
const SOON: Duration = Duration::from_secs(1);
/// For what somebody has to mend first, such as a full disk.
const LATER: Duration = Duration::from_secs(10);

impl DbError {
    /// How long to wait before the same request may well succeed; `None` if it would fail again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Pool(PoolError::Timeout(_) | PoolError::Closed) => Some(SOON),
            Self::Postgres(error) => match error.as_db_error() {
                _ if self.is_retryable() => Some(SOON),
                Some(server) => wait_for(server.code()),
                None => is_lost_connection(error).then_some(SOON),
            },
            Self::Pool(_)
            | Self::Inconsistent { .. }
            | Self::Config(_)
            | Self::Quote(_)
            | Self::Migration(_) => None,
        }
    }
}

impl DbError {
    /// The lines that tell of this failure, by its cause; `None` if it does not go away by itself.
    pub fn outage(&self) -> Option<&'static Seldom> {
        self.retry_after()?;
        if matches!(self, Self::Pool(PoolError::Timeout(TimeoutType::Wait))) {
            return Some(&seldom::DATABASE_POOL);
        }
        Some(self.code().map_or(&seldom::DATABASE, lines_for))
    }
}

fn lines_for(code: &SqlState) -> &'static Seldom {
    match *code {
        SqlState::DISK_FULL | SqlState::READ_ONLY_SQL_TRANSACTION => &seldom::DATABASE_FULL,
        SqlState::QUERY_CANCELED
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED => &seldom::DATABASE_TIMEOUT,
        _ if code.code() == "25P04" => &seldom::DATABASE_TIMEOUT,
        _ => &seldom::DATABASE,
    }
}

/// What the server reports and when that may have changed.
fn wait_for(code: &SqlState) -> Option<Duration> {
    match *code {
        // Nothing can be written: the disk is full, or a standby has taken this server's place.
        SqlState::DISK_FULL | SqlState::READ_ONLY_SQL_TRANSACTION => Some(LATER),
        SqlState::INSUFFICIENT_RESOURCES
        | SqlState::OUT_OF_MEMORY
        | SqlState::TOO_MANY_CONNECTIONS
        // A statement, a lock or an open transaction that took too long.
        | SqlState::QUERY_CANCELED
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        // The server stops, starts or ended this connection.
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        // The database is away, as while a backup is restored.
        | SqlState::DATABASE_DROPPED
        | SqlState::INVALID_CATALOG_NAME => Some(SOON),
        _ => match code.code() {
            // `transaction_timeout` and `idle_session_timeout`, which the driver has no name for.
            "25P04" | "57P05" => Some(SOON),
            code => is_about_connecting(code).then_some(SOON),
        },
    }
}

/// Class 08 is a broken connection; class 28 a login the server refuses, which no request can
/// bring about and only an operator can mend.
fn is_about_connecting(code: &str) -> bool {
    code.starts_with("08") || code.starts_with("28")
}

/// The driver keeps what kind of failure this is to itself and only tells it in its text. What it
/// could not encode or decode is not about the connection.
fn is_lost_connection(error: &tokio_postgres::Error) -> bool {
    error.is_closed()
        || matches!(
            error.to_string().as_str(),
            "error communicating with the server"
                | "error connecting to server"
                | "error performing TLS handshake"
                | "timeout waiting for server"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequent_cause_hides_no_other() {
        let pool = DbError::Pool(PoolError::Timeout(TimeoutType::Wait));
        let away = DbError::Pool(PoolError::Closed);
        let lines = [
            pool.outage().unwrap(),
            away.outage().unwrap(),
            lines_for(&SqlState::DISK_FULL),
            lines_for(&SqlState::LOCK_NOT_AVAILABLE),
        ];
        for (at, one) in lines.iter().enumerate() {
            assert!(lines[..at].iter().all(|other| !std::ptr::eq(*one, *other)));
        }
        assert!(std::ptr::eq(lines_for(&SqlState::ADMIN_SHUTDOWN), lines[1]));
        assert!(DbError::Config(String::new()).outage().is_none());
    }
}
