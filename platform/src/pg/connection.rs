//! Connections, and what makes them for the pool.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use tokio::task::JoinHandle;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error as PostgresError, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::prepared::Prepared;
use super::{DbError, Sql};

/// How long a transaction may be open without a statement, milliseconds: nothing but the database
/// is waited for inside one.
const IDLE_IN_TRANSACTION_MS: i32 = 30_000;

/// A session's limits, unless its role or database has stricter ones. As a statement and not as a
/// start-up option, which connection poolers refuse. The condition is a `case` because other
/// settings are no numbers, and a planner may look at them first.
const LIMIT: &str = "-- pg_catalog.pg_settings.limit
select set_config(l.name, l.most::text, false)
from (values
  ('statement_timeout', $1),
  ('lock_timeout', $2),
  ('idle_in_transaction_session_timeout', $3)
) as l (name, most)
join pg_catalog.pg_settings as s on s.name = l.name
where case when s.name = l.name then s.setting::int not between 1 and l.most end";

/// Refuses, in the driver's own error type, a database that does not store UTF-8. A text that cannot
/// be converted would fail before its message is looked at, so that a message that begins a
/// transaction would not begin one.
const REFUSE_ENCODING: &str = "-- pg_catalog.refuse_encoding
do $$ begin
  raise character_not_in_repertoire using message = 'the database is not encoded in UTF-8';
end $$";

/// Makes connections for a pool.
pub(super) struct Manager {
    pub(super) config: tokio_postgres::Config,
    pub(super) tls: MakeRustlsConnect,
    pub(super) statement_timeout: Option<Duration>,
}

impl Manager {
    async fn connect(&self) -> Result<Connection, PostgresError> {
        let (client, driver) = self.config.connect(self.tls.clone()).await?;
        let encoding = driver.parameter("server_encoding").map(str::to_owned);
        let driver = tokio::spawn(async {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a database connection ended");
            }
        });
        let connection = Connection {
            client,
            driver,
            prepared: Prepared::default(),
            unfit: AtomicBool::new(false),
        };
        // Poolers may not tell.
        if encoding.is_some_and(|encoding| encoding != "UTF8") {
            connection.client.batch_execute(REFUSE_ENCODING).await?;
        }
        if let Some(timeout) = self.statement_timeout {
            limit(&connection.client, timeout).await?;
        }
        Ok(connection)
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = PostgresError;

    async fn create(&self) -> Result<Connection, PostgresError> {
        // Boxed, because this is seldom and large, and part of the future of every statement.
        Box::pin(self.connect()).await
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<PostgresError> {
        if connection.client.is_closed() {
            return Err(RecycleError::message("closed"));
        }
        if connection.unfit.load(Ordering::Relaxed) {
            return Err(RecycleError::message("its session was reset"));
        }
        Ok(())
    }
}

async fn limit(client: &Client, statement_timeout: Duration) -> Result<(), PostgresError> {
    let statement = i32::try_from(statement_timeout.as_millis()).unwrap_or(i32::MAX);
    let (lock, idle) = (statement / 2, IDLE_IN_TRANSACTION_MS);
    let limits = [&statement, &lock, &idle].map(|it| (it as &(dyn ToSql + Sync), Type::INT4));
    client.query_typed(LIMIT, &limits).await.map(drop)
}

/// A connection and what was prepared on it.
pub(super) struct Connection {
    pub(super) client: Client,
    driver: JoinHandle<()>,
    prepared: Prepared,
    /// Its session is not as it was made: it is not used for another caller.
    unfit: AtomicBool,
}

impl Connection {
    /// What was prepared for this text, for whom it was prepared.
    pub(super) fn prepared(&self, acting: &str, sql: &Sql) -> Option<Statement> {
        self.prepared.get(acting, sql)
    }

    /// Prepares a text, unless that was done.
    pub(super) async fn prepare(
        &self,
        acting: &str,
        sql: &Sql,
    ) -> Result<Statement, PostgresError> {
        if let Some(statement) = self.prepared(acting, sql) {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql.as_str()).await?;
        self.prepared.keep(acting, sql, &statement);
        Ok(statement)
    }

    /// Forgets the prepared statements if one no longer fits its tables or is gone: Postgres would
    /// refuse it for as long as the connection lives.
    pub(super) fn checked<T>(&self, outcome: Result<T, PostgresError>) -> Result<T, DbError> {
        let outcome = outcome.map_err(DbError::from);
        if let Err(error) = &outcome
            && error.is_outdated()
        {
            self.prepared.clear();
            // Types may have been made anew as well.
            self.client.clear_type_cache();
            // Whatever discarded the statements (`discard all`, a pooler) also discarded the limits.
            if error.is_statement_gone() {
                self.unfit.store(true, Ordering::Relaxed);
            }
        }
        outcome
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Even if the server is still busy with what nobody waits for: then it notices.
        self.driver.abort();
    }
}
