//! Who changes a part of the database: one process at a time.

use std::time::Duration;

use crate::pg::{Client, DbError, Executor as _, column};

/// Asked again and again rather than waited for: a statement that waits holds a snapshot, and whoever
/// makes an index concurrently under this lock waits until older ones are gone.
const LOCK: &str = "-- pg_catalog.try_lock
select pg_try_advisory_lock($1) as locked";

/// How often it is asked.
const PAUSE: Duration = Duration::from_millis(200);

const UNLOCK: &str = "-- pg_catalog.unlock
select pg_advisory_unlock($1)";

/// The turns at a part of the database.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// What it is called where somebody waits.
    pub part: &'static str,
    /// The advisory lock that whoever has the turn holds.
    pub lock: i64,
    /// How long another process is given.
    pub longest: Duration,
}

impl Turns {
    /// Turns that may take an hour: an index of a large table takes its time.
    pub const fn new(part: &'static str, lock: i64) -> Self {
        Self {
            part,
            lock,
            longest: Duration::from_hours(1),
        }
    }

    /// Takes the turn on this connection, until it is given or the connection ends.
    pub async fn take(&self, client: &Client) -> Result<(), DbError> {
        if self.lock(client).await? {
            return Ok(());
        }
        let Self { part, longest, .. } = *self;
        tracing::info!(part, "Waiting for another process that migrates");
        let turn = async {
            loop {
                tokio::time::sleep(PAUSE).await;
                if self.lock(client).await? {
                    return Ok(());
                }
            }
        };
        let outcome = tokio::time::timeout(longest, turn).await;
        outcome.unwrap_or_else(|_| {
            let minutes = longest.as_secs().div_ceil(60);
            Err(DbError::Migration(format!(
                "another process has not finished {part} within {minutes} minutes"
            )))
        })
    }

    /// Gives it to the next.
    pub async fn give(&self, client: &Client) -> Result<(), DbError> {
        client.execute(UNLOCK, &[&self.lock]).await.map(drop)
    }

    async fn lock(&self, client: &Client) -> Result<bool, DbError> {
        column(&client.query_one(LOCK, &[&self.lock]).await?, "locked")
    }
}
