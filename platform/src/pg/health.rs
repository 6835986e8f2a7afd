//! How a database is: whether it answers, how fast, and whether it can also store something.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::managed::{PoolError, TimeoutType};
use futures_util::future::BoxFuture;
use tokio_postgres::error::SqlState;

use super::{Database, DbError, Executor as _, Sql};
use crate::health::Health;
use crate::telemetry::seldom::Seldom;

/// Longest a database may take to count as there.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longest it may take to count as well.
const SLOW: Duration = Duration::from_millis(500);

/// How long an answer holds. Whoever asks, the database is not asked more often.
const HOLDS: Duration = Duration::from_secs(1);

/// How long it holds whether changes can be stored, which costs more to find out.
const FRESH: Duration = Duration::from_secs(5);

const UNREACHABLE: Health = Health::down("The database cannot be reached");

const OPENING: &str = "begin; set local work_mem = '64kB'; set local temp_tablespaces = ''";

/// Fills a mebibyte of temporary file: it needs room on the disk of the data and leaves nothing
/// behind, neither rows nor log.
const PROBE: &str = "-- pg_catalog.probe_writes
with room as materialized (
  select repeat('x', 8192) as page from generate_series(1, 128)
)
select current_setting('transaction_read_only') = 'off' and count(room.page) > 0 as writable
from room";

impl Database {
    /// How the database is for a service. The statement `ping` has no parameters and says whether what
    /// the service needs is there, in its one column `ready`; it may fail where it is not.
    ///
    /// Known in four seconds, however many ask: whoever comes while it is asked gets that answer.
    pub fn health(&self, ping: impl Into<Sql>) -> BoxFuture<'_, Health> {
        let ping = ping.into();
        Box::pin(async {
            let came = Instant::now();
            let mut known = Arc::clone(&self.known).lock_owned().await;
            if let Some((asked, until, health)) = &*known
                && *asked == ping
                && came <= *until
            {
                return *health;
            }
            let database = self.clone();
            // Goes on when whoever asks goes away: others wait for the answer.
            let asking = tokio::spawn(async move {
                // That it says nothing is told to those who have waited, and to nobody later.
                let (health, holds) = match database.health_by(ping.clone()).await {
                    Ok(health) => (health, HOLDS),
                    Err(silent) => (silent, Duration::ZERO),
                };
                *known = Some((ping, Instant::now() + holds, health));
                health
            });
            asking.await.unwrap_or(UNREACHABLE)
        })
    }

    /// How the database is as it says itself; an error if it says nothing in time.
    async fn health_by(&self, ping: Sql) -> Result<Health, Health> {
        let slow = Health::degraded("The database is slow to answer");
        let started = Instant::now();
        match tokio::time::timeout(PATIENCE, self.answers(ping)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => {
                return Ok(Health::down("The database lacks what this service needs"));
            }
            // All connections busy is no reason to take the service away from those who wait.
            Ok(Err(DbError::Pool(PoolError::Timeout(TimeoutType::Wait)))) | Err(_)
                if self.is_busy() =>
            {
                return Err(slow);
            }
            Ok(Err(error)) => {
                warn_seldom(&error, "health check failed");
                return Ok(UNREACHABLE);
            }
            Err(_) => return Err(UNREACHABLE),
        }
        let answered = started.elapsed();
        match tokio::time::timeout(PATIENCE, self.accepts_writes()).await {
            Ok(Ok(false)) => Ok(Health::degraded(
                "The database cannot store changes; reading works",
            )),
            Ok(Ok(true)) if answered < SLOW => Ok(Health::good()),
            Ok(Ok(true)) => Ok(slow),
            Ok(Err(error)) => {
                warn_seldom(&error, "whether it takes writes is not known");
                Ok(slow)
            }
            Err(_) => Err(slow),
        }
    }

    async fn answers(&self, ping: Sql) -> Result<bool, DbError> {
        super::column(&self.client().await?.query_one(ping, &[]).await?, "ready")
    }

    fn is_busy(&self) -> bool {
        let (in_use, most) = self.usage();
        in_use >= most
    }

    /// Whether changes can be stored: there is room on the disk, and the server is no standby.
    /// Tried at most every few seconds, whoever asks, and also if trying failed or took longer than
    /// the caller had: then it is a timeout until it is tried again.
    pub async fn accepts_writes(&self) -> Result<bool, DbError> {
        let mut known = self.probed.lock().await;
        if let Some((at, writable)) = *known
            && at.elapsed() < FRESH
        {
            let timeout = PoolError::Timeout(TimeoutType::Wait);
            return writable.ok_or(DbError::Pool(timeout));
        }
        // Before trying, because whoever asks may go away meanwhile.
        *known = Some((Instant::now(), None));
        let writable = match self.probe().await {
            Err(error) if error.code() == Some(&SqlState::DISK_FULL) => false,
            outcome => outcome?,
        };
        *known = Some((Instant::now(), Some(writable)));
        Ok(writable)
    }

    async fn probe(&self) -> Result<bool, DbError> {
        let mut client = self.client().await?;
        let tx = client.begin_with(OPENING.into(), String::new());
        let row = tx.query_one(PROBE, &[]).await;
        tx.rollback().await?;
        super::column(&row?, "writable")
    }
}

fn warn_seldom(error: &DbError, what: &str) {
    if let Some(left_out) = error.outage().map_or(Some(0), Seldom::admit) {
        tracing::warn!(%error, left_out, "{what}");
    }
}
