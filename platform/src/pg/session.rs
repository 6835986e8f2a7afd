//! Statements run for a caller: with the caller's role and claims, so that row level security
//! decides what they may see and change.

use futures_util::join;
use tokio_postgres::Row;

use super::pool::{RetryHint, Share};
use super::settings::Settings;
use super::{Answer, Database, DbError, Params, Sql, Tx};

/// How often a statement that lost a race is run again; every attempt is its own transaction.
const MAX_ATTEMPTS: u32 = 5;

/// The role of callers who did not sign in.
const ANONYMOUS: &str = "anon";

/// Nothing beside role and claims.
const NOTHING: &Settings<'_> = &Settings {
    read_only: false,
    isolation: None,
    search_path: None,
    roles: None,
    request: None,
    others: &[],
    before: None,
};

/// Acts as one role with one set of claims; made by [`Database::session`].
///
/// The pool should log in as a role that may do nothing by itself but act as others, such as
/// `authenticator`: a query that somebody cancels in the moment in which its transaction begins
/// leaves the statements behind it to that role.
#[derive(Clone, Copy)]
pub struct Session<'d> {
    database: &'d Database,
    role: &'d str,
    claims: &'d str,
    settings: &'d Settings<'d>,
    share: Share,
}

impl Database {
    /// Acts as `role` with `claims` (JSON text).
    pub fn session<'d>(&'d self, role: &'d str, claims: &'d str) -> Session<'d> {
        let share = if role == ANONYMOUS {
            Share::Anonymous
        } else {
            self.share()
        };
        Session {
            database: self,
            role,
            claims,
            settings: NOTHING,
            share,
        }
    }
}

impl<'d> Session<'d> {
    /// With these settings, in the same flight.
    #[must_use]
    pub fn with(mut self, settings: &'d Settings<'d>) -> Self {
        self.settings = settings;
        self
    }

    /// Does what anybody may ask for, with whatever role it takes: it gets no more connections
    /// than anonymous callers do.
    #[must_use]
    pub fn for_anybody(mut self) -> Self {
        self.share = Share::Anonymous;
        self
    }

    /// Runs one statement in its own transaction: `BEGIN`, role and claims, the statement and
    /// `COMMIT` leave in one flight.
    pub fn query<'a>(&'a self, sql: impl Into<Sql>, params: Params<'a>) -> Answer<'a, Vec<Row>> {
        let sql = sql.into();
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.query_once(&sql, params).await {
                    Err(error) if attempt < MAX_ATTEMPTS && error.is_retryable() => attempt += 1,
                    outcome => return outcome,
                }
            }
        })
    }

    /// Like [`Session::query`], for a statement that returns at most one row.
    pub fn query_opt<'a>(
        &'a self,
        sql: impl Into<Sql>,
        params: Params<'a>,
    ) -> Answer<'a, Option<Row>> {
        let rows = self.query(sql, params);
        Box::pin(async { Ok(rows.await?.into_iter().next()) })
    }

    /// Runs `work` in one transaction with this role and these claims; see
    /// [`Database::transaction`] for retries.
    pub async fn transaction<T, E>(
        &self,
        name: &'static str,
        work: impl AsyncFn(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<DbError> + RetryHint,
    {
        let opening = self.opening()?;
        let acting = self.settings.acting(self.role);
        self.database
            .transaction_opened_by(name, self.share, (opening, &acting), work)
            .await
    }

    /// Opens a transaction as the caller. Settings as utility statements in the message that
    /// begins it cost the server a third of what a prepared `select set_config(…)` does; they
    /// take no parameters, hence the escaping.
    fn opening(&self) -> Result<Sql, DbError> {
        Ok(self.settings.opening(self.role, self.claims)?)
    }

    async fn query_once(&self, sql: &Sql, params: Params<'_>) -> Result<Vec<Row>, DbError> {
        let opening = self.opening()?;
        let acting = self.settings.acting(self.role);
        let mut client = self.database.client_for(self.share).await?;
        let connection = client.connection()?;
        let Some(statement) = connection.prepared(&acting, sql) else {
            let tx = client.begin_with(opening, acting.into_owned());
            return tx.query_and_commit(sql, params).await;
        };
        // All three are handed to the connection when first polled, in this order: if the caller
        // goes away, the server still sees the whole transaction. If the settings are refused,
        // the transaction has failed and the statement is refused with it.
        let flight = async {
            join!(
                connection.client.batch_execute(opening.as_str()),
                connection.client.query(&statement, params),
                connection.end("commit")
            )
        };
        let (begun, rows, committed) = connection.ask(flight).await;
        begun?;
        let rows = connection.checked(rows)?;
        committed?;
        Ok(rows)
    }
}
