//! Counts signed-in users' API calls in memory and writes them down in batches: a counter must not
//! cost every request a write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use platform::pg::Database;
use uuid::Uuid;

use crate::db::usage::{self, Calls};

/// What has been counted since the last flush, by user and UTC day.
#[derive(Default)]
pub(crate) struct Usage {
    pending: Mutex<HashMap<(Uuid, Date), Calls>>,
}

impl Usage {
    /// Counts one call.
    pub(crate) fn record(&self, user: Uuid, now: Timestamp, elapsed: Duration) {
        let day = now.to_zoned(TimeZone::UTC).date();
        let calls = Calls {
            count: 1,
            duration_ms: elapsed.as_secs_f64() * 1e3,
        };
        self.lock().entry((user, day)).or_default().add(calls);
    }

    /// What is counted for a user and not written down yet.
    pub(crate) fn pending(&self, user: Uuid) -> Calls {
        let mut total = Calls::default();
        let pending = self.lock();
        for (_, calls) in pending.iter().filter(|((of, _), _)| *of == user) {
            total.add(*calls);
        }
        total
    }

    /// Writes everything down. What cannot be written is kept for the next time.
    pub(crate) async fn flush(&self, database: &Database) {
        let batch = std::mem::take(&mut *self.lock());
        if batch.is_empty() {
            return;
        }
        if let Err(error) = usage::record(database, &batch).await {
            tracing::warn!(error = %error, "usage could not be written, trying again later");
            let mut pending = self.lock();
            for (place, calls) in batch {
                pending.entry(place).or_default().add(calls);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(Uuid, Date), Calls>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
