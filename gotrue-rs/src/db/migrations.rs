//! `auth.schema_migrations`, upstream's record of what was applied, and whether the schema is there.

/// The applied versions; upstream keeps no checksums.
pub(crate) const APPLIED: &str = "-- auth.schema_migrations.applied
select version::text as version, null::text as checksum
from auth.schema_migrations";

/// Fails unless the tables that everything needs are there.
pub(crate) const PING: &str = "-- auth.users.ping
select has_table_privilege('auth.users', 'select') as ready";
