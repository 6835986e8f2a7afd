//! Connections, and what makes them for the pool.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use futures_util::StreamExt as _;
use tokio::task::JoinHandle;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error as PostgresError, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::prepared::Prepared;
use super::{DbError, Sql};

/// How long a transaction may be open without a statement, milliseconds: nothing but the database
/// is waited for inside one.
const IDLE_IN_TRANSACTION_MS: i32 = 30_000;

/// The names of [`Manager::limits`].
const LIMITS: [&str; 3] = [
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
];

/// A session's limits, unless its role or database has stricter ones. As a statement and not as a
/// start-up option, which connection poolers refuse. The condition is a `case` because other
/// settings are no numbers, and a planner may look at them first.
const LIMIT: &str = "-- pg_catalog.pg_settings.limit
select l.name, set_config(l.name, l.most::text, false)
from (values
  ('statement_timeout', $1),
  ('lock_timeout', $2),
  ('idle_in_transaction_session_timeout', $3)
) as l (name, most)
join pg_catalog.pg_settings as s on s.name = l.name
where case when s.name = l.name then s.setting::int not between 1 and l.most end";

/// Takes back what a transaction left in its session. A function that a caller may call can set
/// anything for longer than its transaction, the role too, make tables that are found before others,
/// and leave cursors open. What these reset to is as the login made it, so the limits follow.
const RESTORE: &str = "; close all; unlisten *; reset role; reset all; discard temp";

/// The session of whoever migrates: names that are not whole are Postgres' own, and no limit or mode of
/// the role or the database holds. Temporary things are found last, or a type of that name would come
/// before Postgres'. As statements and not as start-up options, for the same reason.
pub(super) const TO_MIGRATE: &str = "set role none; set search_path = pg_catalog, pg_temp; \
    set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; \
    set default_transaction_read_only = off; set default_transaction_isolation = 'read committed'; \
    set standard_conforming_strings = on; \
    select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'";

/// Ends what was given up in the middle, with locks that nobody is left to give back.
const GIVE_UP: &str = "rollback; select pg_catalog.pg_advisory_unlock_all()";

/// How long whoever nobody waits for is waited for, where statements may take as long as they like.
const PATIENCE: Duration = Duration::from_secs(30);

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
    pub(super) for_migrations: bool,
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
        let mut connection = Connection {
            client,
            driver,
            tls: self.tls.clone(),
            patience: self.statement_timeout.unwrap_or(PATIENCE),
            prepared: Prepared::default(),
            restore: Sql::new(RESTORE),
            unanswered: AtomicUsize::new(0),
            preparing: AtomicUsize::new(0),
            unfit: AtomicBool::new(false),
        };
        if self.for_migrations {
            connection.client.batch_execute(TO_MIGRATE).await?;
            connection.restore.push("; ").push(TO_MIGRATE);
        }
        // Poolers may not tell.
        if encoding.is_some_and(|encoding| encoding != "UTF8") {
            connection.client.batch_execute(REFUSE_ENCODING).await?;
        }
        if let Some(timeout) = self.statement_timeout {
            connection.limit(timeout).await?;
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
        if connection.is_fit() {
            Ok(())
        } else {
            Err(RecycleError::message("closed, or not as it was made"))
        }
    }
}

/// A connection and what was prepared on it.
pub(super) struct Connection {
    pub(super) client: Client,
    driver: JoinHandle<()>,
    tls: MakeRustlsConnect,
    /// Longest that an answer may take which nobody waits for.
    patience: Duration,
    prepared: Prepared,
    /// What follows the end of a transaction, after which the session is as it was made.
    restore: Sql,
    /// Questions that are not answered yet.
    unanswered: AtomicUsize,
    /// Statements of which it is not known yet what the server calls them, so that nobody closes
    /// them if nobody waits.
    preparing: AtomicUsize,
    /// Its session is not as it was made: it is not used for another caller.
    unfit: AtomicBool,
}

impl Connection {
    async fn limit(&mut self, statement_timeout: Duration) -> Result<(), PostgresError> {
        let statement = i32::try_from(statement_timeout.as_millis()).unwrap_or(i32::MAX);
        let most = [statement, statement / 2, IDLE_IN_TRANSACTION_MS];
        let params = most
            .each_ref()
            .map(|it| (it as &(dyn ToSql + Sync), Type::INT4));
        let given = self.client.query_typed(LIMIT, &params).await?;
        for (name, most) in LIMITS.into_iter().zip(most) {
            if given
                .iter()
                .any(|row| row.try_get::<_, &str>(0).is_ok_and(|it| it == name))
            {
                self.restore.push("; set ").push(name).push(" = ");
                self.restore.push(Sql::number(most));
            }
        }
        Ok(())
    }

    /// Whether somebody else may use it.
    pub(super) fn is_fit(&self) -> bool {
        let asked = [&self.unanswered, &self.preparing];
        !self.client.is_closed()
            && !self.unfit.load(Ordering::Relaxed)
            && asked.iter().all(|count| count.load(Ordering::Relaxed) == 0)
    }

    /// Waits for an answer. Whoever stops waiting before it is there leaves a connection that is not
    /// fit for others until it is settled.
    pub(super) async fn ask<T>(&self, work: impl Future<Output = T>) -> T {
        count(&self.unanswered, work).await
    }

    /// Ends a transaction by `how`, and in the same message gives the session back what it had: what
    /// is left in it for longer than the transaction must not matter to whoever is next.
    pub(super) async fn end(&self, how: &'static str) -> Result<(), PostgresError> {
        let mut text = Sql::new(how);
        text.push(&self.restore);
        let mut answers = pin!(self.client.simple_query_raw(text.as_str()).await?);
        let ended = answers.next().await;
        // A commit that is refused has undone what would have been left. The first error ends the
        // message, and a connection that is lost would say so for ever.
        let mut goes_on = matches!(ended, Some(Ok(_)));
        while goes_on && let Some(restored) = answers.next().await {
            if restored.is_err() {
                self.unfit.store(true, Ordering::Relaxed);
                goes_on = false;
            }
        }
        ended.transpose().map(drop)
    }

    /// To be called where an open transaction or an answer is left behind, before [`Self::settle`].
    pub(super) fn abandon(&self) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits in place of whoever does not any more, until the server has done what it was asked, and
    /// makes it undo what was left open. What takes longer than it may is cancelled.
    pub(super) async fn settle(&self) {
        match tokio::time::timeout(self.patience, self.end(GIVE_UP)).await {
            Ok(Ok(())) => self.unanswered.store(0, Ordering::Relaxed),
            Ok(Err(error)) => tracing::debug!(%error, "an abandoned connection is closed"),
            Err(_) => {
                let token = self.client.cancel_token();
                let cancelled = token.cancel_query(self.tls.clone());
                _ = tokio::time::timeout(self.patience, cancelled).await;
            }
        }
    }

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
        let statement = count(&self.preparing, self.client.prepare(sql.as_str())).await?;
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

/// Counts `work` for as long as it is not done, also if nobody waits for it any more.
async fn count<T>(at: &AtomicUsize, work: impl Future<Output = T>) -> T {
    at.fetch_add(1, Ordering::Relaxed);
    let outcome = work.await;
    at.fetch_sub(1, Ordering::Relaxed);
    outcome
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Even if the server is still busy with what nobody waits for: then it notices.
        self.driver.abort();
    }
}
