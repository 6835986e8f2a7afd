//! What a start runs besides the migration files.

use platform::pg::{Client, DbError, Executor as _, column};

/// Whether there is what the files build on: the house's helpers, the owner, and the auth service's part.
const PREPARED: &str = "-- pg_catalog.is_prepared
select to_regnamespace('_wildfire') is not null
  and to_regclass('auth.sessions') is not null
  and to_regrole('wildfire_owner') is not null as prepared";

/// Makes policies again that were dropped; an event trigger does the same at once where there may be
/// one.
pub(crate) const RESTORE_POLICIES: &str = "-- _wildfire.restore_policies
select warning from _wildfire.restore_policies() as warning";

/// Whether this service's part of the database can be made.
pub(crate) async fn is_prepared(client: &Client) -> Result<bool, DbError> {
    column(&client.query_one(PREPARED, &[]).await?, "prepared")
}
