//! The pool of connections and what can be opened on it.

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};

use super::session::Session;
use super::tls::{self, SslMode};
use super::{Client, DbError, Tx};
use crate::env::Secret;

/// How often a transaction that lost a race is run again.
const MAX_ATTEMPTS: u32 = 5;

/// Where a database is and how much of it a service may use.
#[derive(Clone, Debug)]
pub struct DatabaseConfig {
    /// `postgres://user:password@host:port/database?sslmode=…`
    pub url: Secret<String>,
    /// Most connections open at once.
    pub max_connections: usize,
    /// How long a request waits for a free connection.
    pub acquire_timeout: Duration,
    /// Shown in `pg_stat_activity`.
    pub application_name: &'static str,
}

impl DatabaseConfig {
    /// Settings that fit a service beside its database.
    pub fn new(url: Secret<String>, application_name: &'static str) -> Self {
        Self {
            url,
            max_connections: 16,
            acquire_timeout: Duration::from_secs(5),
            application_name,
        }
    }
}

/// A pool of connections. Cloning shares it.
#[derive(Clone)]
pub struct Database {
    pool: Pool,
}

impl Database {
    /// Prepares a pool; connections are opened as they are needed.
    pub fn new(config: &DatabaseConfig) -> Result<Self, DbError> {
        let (url, ssl_mode) = SslMode::take_from(config.url.expose())?;
        let mut postgres = tokio_postgres::Config::from_str(&url)
            .map_err(|_| DbError::Config("the connection URL cannot be read".to_owned()))?;
        postgres.application_name(config.application_name);
        postgres.connect_timeout(config.acquire_timeout);
        postgres.keepalives_idle(Duration::from_mins(1));
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(postgres, tls::connector(ssl_mode)?, recycling);
        let pool = Pool::builder(manager)
            .max_size(config.max_connections)
            .wait_timeout(Some(config.acquire_timeout))
            .create_timeout(Some(config.acquire_timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| DbError::Config(error.to_string()))?;
        Ok(Self { pool })
    }

    /// A connection.
    pub async fn client(&self) -> Result<Client, DbError> {
        Ok(Client::new(self.pool.get().await?))
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
        self.transaction_opened_by(name, "begin", work).await
    }

    /// [`Database::transaction`] with settings that hold inside it.
    pub(super) async fn transaction_opened_by<T, E>(
        &self,
        name: &'static str,
        opening: &str,
        work: impl AsyncFn(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<DbError> + RetryHint,
    {
        let mut attempt = 1;
        loop {
            let mut client = self.client().await?;
            let tx = client.begin_with(opening.to_owned().into());
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

    /// Acts as `role` with `claims` (JSON text).
    pub fn session<'d>(&'d self, role: &'d str, claims: &'d str) -> Session<'d> {
        Session::new(self, role, claims)
    }

    /// Connections in use and the most there can be.
    pub fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (
            status.size.saturating_sub(status.available),
            status.max_size,
        )
    }

    /// Closes the pool; waiting callers get an error.
    pub fn close(&self) {
        self.pool.close();
    }
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
