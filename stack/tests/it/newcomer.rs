//! Services that no list of this build knows: their roles, schemas and tables come with their
//! definitions.

use include_dir::{Dir, include_dir};
use platform::cluster::{Binaries, Cluster, FindOptions};
use platform::env::Reader;
use platform::pg::migrate::{Ledger, Migrations, Owner, lock};
use platform::pg::{Executor as _, column};
use platform::service::{Definition, Plan};
use stack::SERVICES;
use stack::postgres::connect;

use super::dummy;
use super::rights::opened::open;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/it/newcomer");

/// One whose files the administrator applies.
static MARKS: Definition = Definition {
    name: "marks",
    mount: "/marks/v1",
    rows: &[],
    roles: &[],
    migrations: &[Migrations {
        scope: "marks",
        files: &FILES,
        ledger: Ledger::Own("_wildfire"),
        lock: lock("marks"),
        owner: Owner::Administrator,
        each_start: None,
    }],
    read,
};

fn read(_: &Reader<'_>) -> Plan {
    unreachable!("it is not served")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_brings_its_role_schema_and_tables_to_a_database_of_somebody_elses() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let url = cluster.superuser_url("postgres");
    let folder = tempfile::tempdir().unwrap();
    let services = [&SERVICES[..], &[&dummy::SERVICE, &MARKS]].concat();
    let (first, _) = open(&folder, Some(&url), &services).await;
    for scope in ["dummy/", "marks/"] {
        let applied = &first.report.applied;
        assert!(
            applied.iter().any(|it| it.starts_with(scope)),
            "{applied:?}"
        );
    }
    let own = connect(first.urls().of("dummy").unwrap().expose()).unwrap();
    let client = own.client().await.unwrap();
    let word = client.query_one("select word from dummy.notes", &[]).await;
    assert_eq!(column::<String>(&word.unwrap(), "word").unwrap(), "here");
    let (second, _) = open(&folder, Some(&url), &services).await;
    assert!(
        second.report.applied.is_empty(),
        "{:?}",
        second.report.applied
    );
    cluster.stop().await.unwrap();
}
