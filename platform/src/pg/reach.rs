//! The way to a database at the start of a program: what is in it, in words, and waiting for what passes.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;
use std::time::{Duration, Instant};

use tokio_postgres::error::SqlState;
use url::Url;

use super::{Client, Database, DatabaseConfig, DbError};

/// How long it is left alone between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// How often it is said what is waited for.
const REMINDER: Duration = Duration::from_secs(5);

/// Why a database does not let a program in, and what to do about it. Never the password.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub struct Unreachable {
    words: String,
    passes: bool,
    #[source]
    cause: DbError,
}

impl Unreachable {
    /// What this failure to use the database at `url` means.
    pub fn new(url: &str, cause: DbError) -> Self {
        let (words, passes) = match Url::parse(url) {
            Ok(url) if !matches!(cause, DbError::Config(_)) => explain(&url, &cause),
            _ => (cause.to_string(), false),
        };
        Self {
            words,
            passes,
            cause,
        }
    }

    /// The SQLSTATE, where the server has answered.
    pub fn code(&self) -> Option<&SqlState> {
        self.cause.code()
    }
}

/// Opens a pool and its first connection. A server that is not up yet is waited for so long, and every few
/// seconds the log says what for; what waiting does not mend is told at once.
pub async fn reach(
    config: &DatabaseConfig,
    patience: Duration,
) -> Result<(Database, Client), Unreachable> {
    let url = config.url.expose();
    let database = Database::new(config).map_err(|cause| Unreachable::new(url, cause))?;
    let started = Instant::now();
    let mut told: Option<Instant> = None;
    loop {
        let refused = match database.client().await {
            Ok(client) => return Ok((database, client)),
            Err(cause) => Unreachable::new(url, cause),
        };
        if !refused.passes || started.elapsed() >= patience {
            database.close();
            return Err(refused);
        }
        if told.is_none_or(|at| at.elapsed() >= REMINDER) {
            tracing::warn!("Waiting for the database: {refused}");
            told = Some(Instant::now());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Host and port, as people say them.
pub fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or("localhost");
    format!("{host}:{}", url.port().unwrap_or(5432))
}

/// What keeps us from a database and what to do about it; and whether it may pass by itself.
fn explain(url: &Url, cause: &DbError) -> (String, bool) {
    match cause.code() {
        Some(code) => answered(url, code, cause),
        None => unanswered(url, cause),
    }
}

fn answered(url: &Url, code: &SqlState, cause: &DbError) -> (String, bool) {
    let at = address(url);
    let user = url.username();
    let database = url.path().trim_start_matches('/');
    let said = cause.message().unwrap_or_default();
    match *code {
        SqlState::INVALID_PASSWORD => (
            format!(
                "The database at {at} refuses the password of the role {user}, or has no such role. \
                 Correct the URL; characters such as @ : / % have to be percent-encoded there."
            ),
            false,
        ),
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => (
            format!(
                "The database at {at} does not let the role {user} in ({said}). Name a role that it \
                 has, or let this one in there (`create role`, pg_hba.conf)."
            ),
            false,
        ),
        SqlState::INVALID_CATALOG_NAME => (
            format!(
                "The server at {at} has no database {database:?}. Create it there, or correct the end \
                 of the URL."
            ),
            false,
        ),
        SqlState::TOO_MANY_CONNECTIONS => (
            format!(
                "The server at {at} has no connection left. End some there, or raise its \
                 max_connections."
            ),
            true,
        ),
        SqlState::CANNOT_CONNECT_NOW | SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN => {
            (format!("The database at {at} is not ready: {said}."), true)
        }
        _ => (
            format!("The database at {at} cannot be used: {cause}."),
            false,
        ),
    }
}

fn unanswered(url: &Url, cause: &DbError) -> (String, bool) {
    let at = address(url);
    let host = url.host_str().unwrap_or("localhost");
    let io = causes(cause).find_map(|cause| cause.downcast_ref::<io::Error>());
    let said = causes(cause).last().map(ToString::to_string);
    let said = said.unwrap_or_default();
    let no_answer = || {
        format!(
            "{at} does not answer. Look whether the server runs, for a firewall in between, and whether \
             the server lets this machine's address in."
        )
    };
    match io.map(io::Error::kind) {
        Some(ErrorKind::ConnectionRefused) => (
            format!(
                "Nothing listens at {at}. Start that server, or correct host and port in the \
                 database's URL."
            ),
            true,
        ),
        Some(ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            (no_answer(), true)
        }
        // The standard library has no kind for it.
        Some(_) if said.contains("lookup") => (
            format!(
                "The host {host} is not known here. Correct its name in the database's URL, or look \
                 whether this machine's name service works."
            ),
            true,
        ),
        None if matches!(cause, DbError::Pool(_)) => (no_answer(), true),
        _ if said.to_lowercase().contains("tls") => (
            format!(
                "The server at {at} and this program agree on no encryption ({said}). Where the way \
                 there is trusted, add ?sslmode=disable to the URL."
            ),
            false,
        ),
        io => (
            format!("The database at {at} cannot be reached: {said}."),
            io.is_some(),
        ),
    }
}

fn causes(error: &DbError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    iter::successors(Some(first), |error| (*error).source())
}
