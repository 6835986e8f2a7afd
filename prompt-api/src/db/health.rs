//! Whether the database answers and has the tables this service needs.

use platform::health::Health;
use platform::pg::Database;

const PING: &str = "-- wildfire.prompts.ping
select has_table_privilege('authenticated', 'wildfire.prompts', 'select') as ready";

/// How the database is for this service.
pub(crate) async fn of(database: &Database) -> Health {
    database.health(PING).await
}
