//! What a start runs besides the migration files.

/// Makes policies again that were dropped; an event trigger does the same at once where there may be
/// one.
pub(crate) const RESTORE_POLICIES: &str = "-- _wildfire.restore_policies
select warning from _wildfire.restore_policies() as warning";
