//! A connection taken from the pool, and transactions on it.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use deadpool::managed::Object;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, join};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_postgres::{Error as PostgresError, Row, SimpleQueryMessage, Statement};

use super::connection::{Connection, Manager, TO_MIGRATE};
use super::{DbError, Params, Sql, column};

/// What a statement answers, once it is waited for. Boxed, so that its type does not name that of the
/// text, which compilers cannot prove to be sent to another thread (`&'static str` in a generic).
pub type Answer<'a, T> = BoxFuture<'a, Result<T, DbError>>;

/// Anything statements can be run on: a [`Client`] or a [`Tx`].
///
/// A statement is prepared once per connection and then reused, for as long as its text is among those
/// that the connection ran last.
pub trait Executor: Sync {
    /// Runs a statement and returns its rows.
    fn query<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Vec<Row>>;

    /// Runs a statement and returns the number of rows it touched.
    fn execute<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, u64>;

    /// Runs a statement, however many rows it touches.
    fn run<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, ()> {
        let touched = self.execute(sql, params);
        Box::pin(async { touched.await.map(drop) })
    }

    /// Runs a statement that returns at most one row.
    fn query_opt<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Option<Row>> {
        let rows = self.query(sql, params);
        Box::pin(async { Ok(rows.await?.into_iter().next()) })
    }

    /// Runs a statement that returns a row.
    fn query_one<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Row> {
        let rows = self.query(sql, params);
        Box::pin(async {
            let row = rows.await?.into_iter().next();
            row.ok_or_else(|| DbError::Inconsistent {
                column: "(no row)".to_owned(),
                source: None,
            })
        })
    }
}

/// For whom a statement is prepared that acts for nobody.
const AS_LOGGED_IN: &str = "";

/// A pooled connection; it goes back to the pool when dropped, though not before the server has answered.
///
/// What is set with it outside a transaction lasts, until [`super::Database::transaction`] or a
/// [`super::Session`] gets this connection.
pub struct Client {
    /// `None` only once the connection was given up by an unfinished transaction.
    object: Option<Object<Manager>>,
    /// The place in a share of the pool that a caller takes for as long as the connection is used.
    place: Option<OwnedSemaphorePermit>,
}

impl Client {
    pub(super) fn new(object: Object<Manager>, place: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            object: Some(object),
            place,
        }
    }

    pub(super) fn connection(&self) -> Result<&Connection, DbError> {
        let object = self.object.as_deref();
        object.ok_or_else(|| DbError::Config("connection was given up".to_owned()))
    }

    async fn query_once(&self, sql: &Sql, params: Params<'_>) -> Result<Vec<Row>, DbError> {
        let connection = self.connection()?;
        let prepared = connection.prepare(AS_LOGGED_IN, sql).await;
        let statement = connection.checked(prepared)?;
        let rows = connection.client.query(&statement, params);
        connection.checked(connection.ask(rows).await)
    }

    async fn execute_once(&self, sql: &Sql, params: Params<'_>) -> Result<u64, DbError> {
        let connection = self.connection()?;
        let prepared = connection.prepare(AS_LOGGED_IN, sql).await;
        let statement = connection.checked(prepared)?;
        let touched = connection.client.execute(&statement, params);
        connection.checked(connection.ask(touched).await)
    }

    /// Runs several statements without parameters, separated by semicolons.
    pub fn batch(&self, sql: impl Into<Sql>) -> Answer<'_, ()> {
        let sql = sql.into();
        Box::pin(async move {
            let connection = self.connection()?;
            let done = connection.client.batch_execute(sql.as_str());
            Ok(connection.ask(done).await?)
        })
    }

    /// Makes the session one to migrate in, whatever was done in it: see
    /// [`DatabaseConfig::for_migrations`](super::DatabaseConfig::for_migrations).
    pub async fn prepare_to_migrate(&self) -> Result<(), DbError> {
        self.batch(TO_MIGRATE).await
    }

    /// Refuses a session in which others may have put something first on the path.
    pub(super) async fn refuse_to_search(&self) -> Result<(), DbError> {
        let path: String = column(
            &self.query_one("show search_path", &[]).await?,
            "search_path",
        )?;
        if path == "pg_catalog, pg_temp" {
            return Ok(());
        }
        Err(DbError::Config(
            "migrations run on connections that are made for them".to_owned(),
        ))
    }

    /// Opens a transaction. `BEGIN` travels with its first statement, so it costs nothing.
    pub fn begin(&mut self) -> Tx<'_> {
        let mut tx = self.begin_with("begin".into(), AS_LOGGED_IN.to_owned());
        tx.restores = false;
        tx
    }

    /// Opens a transaction by `opening`: `begin` and settings that hold inside it. `acting` says for
    /// whom statements are prepared in it. After it the session is as it was made.
    pub(super) fn begin_with(&mut self, opening: Sql, acting: String) -> Tx<'_> {
        Tx {
            client: self,
            opening,
            acting,
            restores: true,
            begun: AtomicBool::new(false),
            finished: false,
        }
    }

    /// Leaves the connection, and the place in a share, to a task that waits for the server: whoever
    /// goes away while it works has not made room for another.
    fn leave(&mut self) {
        let (Some(object), place) = (self.object.take(), self.place.take()) else {
            return;
        };
        object.abandon();
        // Dropped unsettled, as with its runtime, the pool takes it for unfit.
        let settled = async move {
            object.settle().await;
            if !object.is_fit() {
                drop(Object::take(object));
            }
            drop(place);
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(settled);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.object.as_deref().is_some_and(|it| !it.is_fit()) {
            self.leave();
        }
    }
}

impl Executor for Client {
    fn query<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Vec<Row>> {
        let sql = sql.into();
        Box::pin(async move {
            match self.query_once(&sql, params).await {
                Err(error) if error.is_outdated() => self.query_once(&sql, params).await,
                outcome => outcome,
            }
        })
    }

    fn execute<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, u64> {
        let sql = sql.into();
        Box::pin(async move {
            match self.execute_once(&sql, params).await {
                Err(error) if error.is_outdated() => self.execute_once(&sql, params).await,
                outcome => outcome,
            }
        })
    }
}

/// An open transaction. Dropped without [`Tx::commit`] or [`Tx::rollback`] (an early return, a
/// cancelled request), it is rolled back, when the server has done what it was asked.
pub struct Tx<'c> {
    client: &'c mut Client,
    opening: Sql,
    acting: String,
    /// Whether the session is as it was made when it has ended.
    restores: bool,
    begun: AtomicBool,
    finished: bool,
}

impl Tx<'_> {
    /// Commits what was done; nothing was if no statement ran.
    pub async fn commit(mut self) -> Result<(), DbError> {
        self.finish("commit").await
    }

    /// Undoes what was done and keeps the connection.
    pub async fn rollback(mut self) -> Result<(), DbError> {
        self.finish("rollback").await
    }

    async fn finish(&mut self, how: &'static str) -> Result<(), DbError> {
        if self.begun.load(Ordering::Relaxed) {
            if self.restores {
                self.client.connection()?.end(how).await?;
            } else {
                self.client.batch(how).await?;
            }
        }
        self.finished = true;
        Ok(())
    }

    /// Sends what begins the transaction, unless that was done, and in the same flight `work`.
    async fn after_opening<T>(
        &self,
        work: impl Future<Output = Result<T, PostgresError>>,
    ) -> Result<T, DbError> {
        let connection = self.client.connection()?;
        if self.begun.swap(true, Ordering::Relaxed) {
            return connection.checked(work.await);
        }
        let opening = connection.client.batch_execute(self.opening.as_str());
        let (begun, done) = join!(opening, work);
        begun?;
        connection.checked(done)
    }

    /// A text that is not prepared yet is prepared inside the transaction: there its names mean what
    /// they mean to whom it acts for, who may also see more than who logged in.
    async fn prepare(&self, sql: &Sql) -> Result<Statement, DbError> {
        let connection = self.client.connection()?;
        if let Some(statement) = connection.prepared(&self.acting, sql) {
            return Ok(statement);
        }
        self.after_opening(connection.prepare(&self.acting, sql))
            .await
    }

    /// Runs one statement, with `COMMIT` in the same flight.
    pub(super) async fn query_and_commit(
        mut self,
        sql: &Sql,
        params: Params<'_>,
    ) -> Result<Vec<Row>, DbError> {
        let statement = match self.prepare(sql).await {
            Ok(statement) => statement,
            Err(error) => {
                self.rollback().await?;
                return Err(error);
            }
        };
        let connection = self.client.connection()?;
        let outcome = self.after_opening(async {
            // If the statement fails, `COMMIT` ends the transaction without effect.
            Ok(join!(
                connection.client.query(&statement, params),
                connection.end("commit")
            ))
        });
        let (rows, committed) = outcome.await?;
        self.finished = true;
        let rows = self.client.connection()?.checked(rows)?;
        committed?;
        Ok(rows)
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn batch(&self, sql: impl Into<Sql>) -> Answer<'_, ()> {
        let sql = sql.into();
        Box::pin(async move {
            let client = &self.client.connection()?.client;
            self.after_opening(client.batch_execute(sql.as_str())).await
        })
    }

    /// As [`Self::batch`], for somebody's file: counts in `done` how many of its statements ran.
    pub async fn script(&self, sql: &Sql, done: &AtomicUsize) -> Result<(), DbError> {
        let client = &self.client.connection()?.client;
        let run = async {
            let mut answers = pin!(client.simple_query_raw(sql.as_str()).await?);
            while let Some(answer) = answers.next().await {
                if matches!(answer?, SimpleQueryMessage::CommandComplete(_)) {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        self.after_opening(run).await
    }
}

impl Executor for Tx<'_> {
    fn query<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Vec<Row>> {
        let sql = sql.into();
        Box::pin(async move {
            let statement = self.prepare(&sql).await?;
            let client = &self.client.connection()?.client;
            self.after_opening(client.query(&statement, params)).await
        })
    }

    fn execute<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, u64> {
        let sql = sql.into();
        Box::pin(async move {
            let statement = self.prepare(&sql).await?;
            let client = &self.client.connection()?.client;
            self.after_opening(client.execute(&statement, params)).await
        })
    }
}

impl Drop for Tx<'_> {
    fn drop(&mut self) {
        if self.begun.load(Ordering::Relaxed) && !self.finished {
            self.client.leave();
        }
    }
}
