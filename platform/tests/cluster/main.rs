//! The embedded server against real Postgres programs, one file per concern.
//!
//! Run as root, these tests also cover the change to an unprivileged account; run
//! as anybody else, the tests that need root say nothing.
#![cfg(feature = "cluster")]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test's helpers may fail it"
)]

mod folders;
mod lifecycle;
mod links;
mod ports;
mod root;
mod supervise;

use platform::cluster::{Binaries, FindOptions};

/// The programs this machine has; the same ones the product would find.
fn binaries() -> Binaries {
    Binaries::find(&FindOptions::detect()).expect("a Postgres for the tests")
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A folder every account may enter, so that nothing has to move.
fn open_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o755);
    tempfile::Builder::new()
        .prefix("wildfire-test-")
        .permissions(mode)
        .tempdir()
        .unwrap()
}

/// Runs one statement and returns its single text value.
async fn value(url: &str, sql: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    let driver = tokio::spawn(connection);
    let row = client.query_one(sql, &[]).await.unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
    row.get(0)
}
