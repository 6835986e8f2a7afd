//! Counted calls.

use std::collections::HashMap;

use jiff::civil::Date;
use platform::pg::{Database, DbError};
use uuid::Uuid;

/// Calls and the time they took together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Calls {
    pub(crate) count: i64,
    pub(crate) duration_ms: f64,
}

impl Calls {
    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.duration_ms += other.duration_ms;
    }
}

const RECORD: &str = "-- wildfire.api_usage.record
select wildfire_private.record_usage($1, $2, $3, $4)";

/// Adds a batch of counts.
pub(crate) async fn record(
    database: &Database,
    batch: &HashMap<(Uuid, Date), Calls>,
) -> Result<(), DbError> {
    let users: Vec<Uuid> = batch.keys().map(|(user, _)| *user).collect();
    let days: Vec<Date> = batch.keys().map(|(_, day)| *day).collect();
    let counts: Vec<i64> = batch.values().map(|calls| calls.count).collect();
    let durations: Vec<f64> = batch.values().map(|calls| calls.duration_ms).collect();
    let session = database.session("service_role", "{}");
    session
        .query(RECORD, &[&users, &days, &counts, &durations])
        .await?;
    Ok(())
}
