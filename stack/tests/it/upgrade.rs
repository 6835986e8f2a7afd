//! A later release of the prompt platform, applied to a database that has this one.

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations, Owner, lock, run_all};
use platform::pg::{Client, DatabaseUrls};
use platform_test::TestDatabase;
use stack::SERVICES;

static NEXT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/it/next");

/// Where the services log in.
pub(crate) fn urls(database: &TestDatabase) -> DatabaseUrls {
    let roles = SERVICES.iter().flat_map(|service| service.logins());
    roles.map(|role| (role, database.url(role))).collect()
}

/// Takes back what keeps the policies, so that the upgrade brings it anew.
pub(crate) async fn forget_policies(administrator: &Client) {
    let forget = "drop event trigger wildfire_keep_policies;
      drop table _wildfire.policies;
      drop function _wildfire.keep_policies, _wildfire.restore_policies,
        _wildfire.remember_policies;
      delete from _wildfire.migrations where scope = 'wildfire_policies'";
    administrator.batch(forget).await.unwrap();
}

/// Applies the later release; says which migrations that took.
pub(crate) async fn upgrade(database: &TestDatabase, administrator: &mut Client) -> Vec<String> {
    let next = Migrations {
        scope: "wildfire_next",
        files: &NEXT,
        ledger: Ledger::Own("wildfire_private"),
        lock: lock("wildfire_next"),
        owner: Owner::Role("wildfire_owner"),
        each_start: None,
    };
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    let parts = parts.chain([&next]);
    run_all(parts, administrator, &urls(database))
        .await
        .unwrap()
}
