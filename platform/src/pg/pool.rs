//! The pool of connections and what can be opened on it.

use std::num::NonZero;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{Object, Pool, PoolError, TimeoutType};
use tokio::sync::Semaphore;

use super::connection::Manager;
use super::tls::{self, SslMode};
use super::{Client, DbError, Sql, Tx};
use crate::env::Secret;
use crate::health::Health;

/// How long nobody connects after connecting failed: a server that is starting or full gets
/// ready sooner if not every request knocks.
const REST: Duration = Duration::from_millis(100);

/// How often a transaction that lost a race is run again.
const MAX_ATTEMPTS: u32 = 5;

/// Where a database is and how much of it a service may use.
#[derive(Clone, Debug)]
pub struct DatabaseConfig {
    /// `postgres://user:password@host:port/database?sslmode=…`
    pub url: Secret<String>,
    /// Most connections open at once.
    pub max_connections: usize,
    /// How long a request waits for a connection.
    pub acquire_timeout: Duration,
    /// How long a statement may take, and half of that a lock; `None` leaves it to the server, as
    /// migrations need. Together with `acquire_timeout` it should be less than a request may take.
    pub statement_timeout: Option<Duration>,
    /// Shown in `pg_stat_activity`.
    pub application_name: &'static str,
    /// Whether this is for migrations: sessions in which a name that is not whole is Postgres' own, so
    /// that nothing others could put first on a path runs with these rights, and in which limits and
    /// modes of the role or the database do not hold.
    pub for_migrations: bool,
}

impl DatabaseConfig {
    /// Most connections of a pool that nobody set the size of, if the database offers so many.
    pub const USUAL_CONNECTIONS: usize = 16;

    /// Settings that fit a service beside its database.
    pub fn new(url: Secret<String>, application_name: &'static str) -> Self {
        Self {
            url,
            max_connections: Self::USUAL_CONNECTIONS,
            acquire_timeout: Duration::from_secs(3),
            statement_timeout: Some(Duration::from_secs(6)),
            application_name,
            for_migrations: false,
        }
    }

    /// Settings that fit whoever migrates: see [`super::migrate`].
    #[must_use]
    pub fn for_migrations(self) -> Self {
        Self {
            max_connections: 2,
            statement_timeout: None,
            for_migrations: true,
            ..self
        }
    }
}

/// Which connections somebody may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Any that is free.
    Whole,
    /// Few of them at once, so that strangers leave some for those who signed in, and time of the
    /// database's processor.
    Anonymous,
    /// Fewer still, for who shows something of which only the database can tell whose it is.
    Unproved,
}

/// When it was tried last to store something, and whether that could be done, if this is known.
pub(super) type Probed = (Instant, Option<bool>);

/// What was asked last, until when whoever comes gets its answer, and what that is.
pub(super) type Known = (Sql, Instant, Health);

/// A pool of connections. Cloning shares it.
#[derive(Clone)]
pub struct Database {
    pool: Pool<Manager>,
    acquire_timeout: Duration,
    share: Share,
    /// Connections that anonymous callers may use at once.
    anonymous: Arc<Semaphore>,
    /// Connections that callers may use at once whose right to be served is not known yet.
    unproved: Arc<Semaphore>,
    /// When connecting failed last.
    failed: Arc<Mutex<Option<Instant>>>,
    pub(super) known: Arc<tokio::sync::Mutex<Option<Known>>>,
    pub(super) probed: Arc<tokio::sync::Mutex<Option<Probed>>>,
}

/// How many of so many connections strangers may use at once: as many as leave one of this machine's
/// processors to others, and never more than half.
fn anonymous_share(connections: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    (processors - 1).min(connections / 2).max(1)
}

/// How many of so many connections callers may use at once whose right to be served is not known
/// yet. Of three or more, some are left to others even if strangers use all of their share.
fn unproved_share(connections: usize) -> usize {
    (connections / 4).max(1)
}

impl Database {
    /// Prepares a pool; connections are opened as they are needed.
    pub fn new(config: &DatabaseConfig) -> Result<Self, DbError> {
        let (url, ssl_mode) = SslMode::take_from(config.url.expose())?;
        let mut postgres = tokio_postgres::Config::from_str(&url).map_err(|_| {
            DbError::Config(
                "the address of the database cannot be read; it has the form \
                     postgres://user:password@host:port/database, with % and two digits for \
                     characters such as @ or / in the password"
                    .to_owned(),
            )
        })?;
        postgres.application_name(config.application_name);
        postgres.connect_timeout(config.acquire_timeout);
        postgres.keepalives_idle(Duration::from_mins(1));
        let manager = Manager {
            config: postgres,
            tls: tls::connector(ssl_mode)?,
            statement_timeout: config.statement_timeout,
            for_migrations: config.for_migrations,
        };
        let pool = Pool::builder(manager)
            .max_size(config.max_connections)
            .build()
            .map_err(|error| DbError::Config(error.to_string()))?;
        Ok(Self {
            pool,
            acquire_timeout: config.acquire_timeout,
            share: Share::Whole,
            anonymous: Arc::new(Semaphore::new(anonymous_share(config.max_connections))),
            unproved: Arc::new(Semaphore::new(unproved_share(config.max_connections))),
            failed: Arc::default(),
            known: Arc::default(),
            probed: Arc::default(),
        })
    }

    /// The same pool for what anybody may ask for: all who do get no more connections than
    /// anonymous callers do.
    #[must_use]
    pub fn for_anybody(&self) -> Self {
        Self {
            share: Share::Anonymous,
            ..self.clone()
        }
    }

    /// The same pool for requests of which only the database can tell whether somebody has a right
    /// to them: together they get a quarter of the connections.
    #[must_use]
    pub fn for_unproved(&self) -> Self {
        Self {
            share: Share::Unproved,
            ..self.clone()
        }
    }

    /// The same pool for the service's own work, whoever it was begun for.
    #[must_use]
    pub fn for_service(&self) -> Self {
        Self {
            share: Share::Whole,
            ..self.clone()
        }
    }

    pub(super) fn share(&self) -> Share {
        self.share
    }

    /// A connection.
    pub async fn client(&self) -> Result<Client, DbError> {
        self.client_for(self.share).await
    }

    /// A connection out of a share of the pool.
    pub(super) async fn client_for(&self, share: Share) -> Result<Client, DbError> {
        let acquired = async {
            let places = match share {
                Share::Anonymous => Some(&self.anonymous),
                Share::Unproved => Some(&self.unproved),
                Share::Whole => None,
            };
            let place = match places {
                Some(places) => {
                    let place = Arc::clone(places).acquire_owned().await;
                    Some(place.map_err(|_| PoolError::Closed)?)
                }
                None => None,
            };
            Ok(Client::new(self.connection().await?, place))
        };
        tokio::time::timeout(self.acquire_timeout, acquired)
            .await
            .unwrap_or(Err(DbError::Pool(PoolError::Timeout(TimeoutType::Wait))))
    }

    async fn connection(&self) -> Result<Object<Manager>, DbError> {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let rests = failed().is_some_and(|at| at.elapsed() < REST);
        if rests && self.pool.status().available == 0 {
            return Err(DbError::Pool(PoolError::Timeout(TimeoutType::Create)));
        }
        let connection = self.pool.get().await.map_err(DbError::from);
        if matches!(connection, Err(DbError::Postgres(_))) {
            *failed() = Some(Instant::now());
        }
        connection
    }

    /// Runs `work` in a transaction and commits if it succeeds. Losing a race against another
    /// transaction runs `work` again, so it must not have effects outside the database.
    /// `name` labels the log line.
    pub async fn transaction<T, E>(
        &self,
        name: &'static str,
        work: impl AsyncFn(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<DbError> + RetryHint,
    {
        self.transaction_opened_by(name, self.share, ("begin".into(), ""), work)
            .await
    }

    /// [`Database::transaction`] that begins with a statement and settings, and for whom it prepares
    /// its statements.
    pub(super) async fn transaction_opened_by<T, E>(
        &self,
        name: &'static str,
        share: Share,
        (opening, acting): (Sql, &str),
        work: impl AsyncFn(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<DbError> + RetryHint,
    {
        let mut attempt = 1;
        loop {
            let mut client = self.client_for(share).await?;
            let tx = client.begin_with(opening.clone(), acting.to_owned());
            let outcome = match work(&tx).await {
                Ok(value) => tx.commit().await.map(|()| value).map_err(E::from),
                Err(error) => {
                    if let Err(failure) = tx.rollback().await {
                        tracing::debug!(transaction = name, error = %failure, "rollback failed");
                    }
                    Err(error)
                }
            };
            match outcome {
                Err(error) if attempt < MAX_ATTEMPTS && error.is_retryable() => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    /// Connections in use and the most there can be.
    pub fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (
            status.size.saturating_sub(status.available),
            status.max_size,
        )
    }

    /// How many connections there are, and how many are wanted.
    pub fn crowd(&self) -> Crowd {
        let status = self.pool.status();
        Crowd {
            open: status.size,
            idle: status.available,
            waiting: status.waiting,
        }
    }

    /// Closes the pool; waiting callers get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}

/// What goes on in a pool.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Connections that are open.
    pub open: usize,
    /// Those of them that nobody uses.
    pub idle: usize,
    /// Who waits for one.
    pub waiting: usize,
}

/// Whether an error means that the whole transaction may be tried again.
pub trait RetryHint {
    /// See [`DbError::is_retryable`].
    fn is_retryable(&self) -> bool;
}

impl RetryHint for DbError {
    fn is_retryable(&self) -> bool {
        Self::is_retryable(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{anonymous_share, unproved_share};

    #[test]
    fn shares_leave_connections_to_others() {
        for connections in 1..=64 {
            let (anonymous, unproved) = (anonymous_share(connections), unproved_share(connections));
            assert!(anonymous > 0 && unproved > 0, "{connections}");
            assert!(anonymous + unproved < connections.max(3), "{connections}");
        }
        assert_eq!(unproved_share(16), 4);
    }
}
