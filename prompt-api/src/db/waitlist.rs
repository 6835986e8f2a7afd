//! The early-access list.

use platform::pg::{Database, DbError};

const INSERT: &str = "-- wildfire.waitlist_entries.insert
insert into wildfire.waitlist_entries (email) values ($1)
on conflict (email) do nothing";

/// Adds an address; one that is there already stays.
pub(crate) async fn insert(database: &Database, email: &str) -> Result<(), DbError> {
    database
        .session("service_role", "{}")
        .for_anybody()
        .query(INSERT, &[&email])
        .await?;
    Ok(())
}
