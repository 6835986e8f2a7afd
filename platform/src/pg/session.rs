//! Statements run for a caller: with the caller's role and claims, so that row level security
//! decides what they may see and change.

use futures_util::join;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::pool::{RetryHint, Share};
use super::{Answer, Client, Database, DbError, Executor as _, Ident, Params, QuoteError, Sql, Tx};

/// How often a statement that lost a race is run again; every attempt is its own transaction.
const MAX_ATTEMPTS: u32 = 5;

/// The role of callers who did not sign in.
const ANONYMOUS: &str = "anon";

/// Acts as one role with one set of claims; made by [`Database::session`].
#[derive(Clone, Copy)]
pub struct Session<'d> {
    database: &'d Database,
    role: &'d str,
    claims: &'d str,
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
            share,
        }
    }
}

impl Session<'_> {
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
        let opening = self.opening().map_err(DbError::from)?;
        self.database
            .transaction_opened_by(name, self.share, opening, work)
            .await
    }

    /// Opens a transaction as the caller. Settings as utility statements in the message that
    /// begins it cost the server a third of what a prepared `select set_config(…)` does; they
    /// take no parameters, hence the escaping.
    fn opening(&self) -> Result<Sql, QuoteError> {
        let mut opening = Sql::new("begin; set local role ");
        opening.push(Ident::quote(self.role)?);
        opening.push("; set local request.jwt.claims = ");
        opening.push(Sql::literal(self.claims)?);
        Ok(opening)
    }

    async fn query_once(&self, sql: &Sql, params: Params<'_>) -> Result<Vec<Row>, DbError> {
        let opening = self.opening()?;
        let mut client = self.database.client_for(self.share).await?;
        let text = self.statement_text(sql);
        let statement = match client.prepare(&text).await {
            Ok(statement) => statement,
            // The login role may lack a schema that the caller's role can use.
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                return Self::query_prepared_as_caller(&mut client, opening, sql, params).await;
            }
            Err(error) => return Err(error),
        };
        let object = client.object()?;
        // All three are handed to the connection when first polled, in this order: if the caller
        // goes away, the server still sees the whole transaction. If the settings are refused,
        // the transaction has failed and the statement is refused with it.
        let (begun, rows, committed) = join!(
            object.batch_execute(opening.as_str()),
            object.query(&statement, params),
            object.batch_execute("commit")
        );
        begun?;
        let rows = client.checked(rows)?;
        committed?;
        Ok(rows)
    }

    /// A plan made under row level security belongs to one role, and Postgres plans again when
    /// another role runs it; so each role but the usual one has statements of its own.
    fn statement_text<'s>(&self, sql: &'s Sql) -> std::borrow::Cow<'s, str> {
        match self.role {
            "authenticated" => sql.as_str().into(),
            role => format!("{}\n-- as {}", sql.as_str(), role.escape_default()).into(),
        }
    }

    async fn query_prepared_as_caller(
        client: &mut Client,
        opening: Sql,
        sql: &Sql,
        params: Params<'_>,
    ) -> Result<Vec<Row>, DbError> {
        let tx = client.begin_with(opening);
        let outcome = match tx.open().await {
            Ok(()) => tx.query(sql, params).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(rows) => tx.commit().await.map(|()| rows),
            Err(error) => {
                tx.rollback().await?;
                Err(error)
            }
        }
    }
}
