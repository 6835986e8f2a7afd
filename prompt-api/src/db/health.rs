//! Whether the database answers and has the tables this service needs.

use platform::pg::{Database, DbError, Executor};

const PING: &str = "-- wildfire.prompts.ping
select has_schema_privilege('wildfire', 'usage') as ready";

/// Fails unless the database answers.
pub(crate) async fn ping(database: &Database) -> Result<(), DbError> {
    database.client().await?.query_one(PING, &[]).await?;
    Ok(())
}
