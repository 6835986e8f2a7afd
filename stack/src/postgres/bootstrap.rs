//! Roles, which everything else needs: the same files for an embedded server and for one that somebody
//! brings. What services need comes from their definitions.

use include_dir::{Dir, include_dir};
use platform::env::Secret;
use platform::pg::migrate::{self, Ledger, Migrations, Owner, lock, run_all};
use platform::pg::{Client, DatabaseUrls, DbError};

use super::{OpenOptions, logins};
use crate::SERVICES;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/roles");

/// The administrator's ledger.
const LEDGER: &str = "_wildfire";

const ROLES: Migrations = Migrations {
    scope: "roles",
    files: &FILES,
    ledger: Ledger::Own(LEDGER),
    lock: lock("roles"),
    owner: Owner::Administrator,
    each_start: Some(RESTORE_EVENT_TRIGGERS),
};

/// Gives a project's event triggers to their owner, which no restore of a dump can.
const RESTORE_EVENT_TRIGGERS: &str = "-- _wildfire.restore_event_triggers
select warning from _wildfire.restore_event_triggers() as warning";

/// Makes roles, schemas and grants, and returns what ran. New roles that something logs in as get this
/// password.
pub(super) async fn create_roles(
    client: &mut Client,
    options: &OpenOptions<'_>,
    password: &Secret<String>,
) -> Result<Vec<String>, DbError> {
    // Also of services that are not served now, but may have been.
    let known = SERVICES.iter().chain(options.services);
    let all = known.flat_map(|service| service.migrations);
    let ours = all.filter(|it| matches!(it.ledger, Ledger::Own(LEDGER)));
    let scopes: Vec<_> = ours.chain([&ROLES]).map(|it| it.scope).collect();
    migrate::refuse_strangers(client, LEDGER, &scopes).await?;
    logins::create(client, &options.logins(), password.expose()).await?;
    ROLES.run(client).await
}

/// Makes what the services need, and returns what ran.
pub(super) async fn migrate_services(
    client: &mut Client,
    options: &OpenOptions<'_>,
    urls: &DatabaseUrls,
) -> Result<Vec<String>, DbError> {
    let parts = options.services.iter().flat_map(|it| it.migrations);
    run_all(parts, client, urls).await
}
