//! Killed processes, stale files, folders that cannot be used as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::installation::{Installation, execute, servers_of, value};
use super::supervise::wait_until;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_installation_loses_nothing_and_leaves_no_server() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    execute(
        &process.database_url(),
        "create table kept as select 'acknowledged' as v",
    )
    .await;
    process.kill();
    // At once: the server of the first run may still be on its way out.
    let process = installation.start(&[]);
    assert_eq!(
        value(&process.database_url(), "select v from kept").await,
        "acknowledged"
    );
    assert_eq!(servers_of(&installation.data_dir()), 1);
}

/// As a first start leaves it that ends between making the roles and giving them passwords.
#[tokio::test(flavor = "multi_thread")]
async fn roles_that_a_start_left_without_a_password_get_one() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    let admin = process
        .database_url()
        .replace("//postgres:", "//supabase_admin:");
    let forget = "alter role postgres password null;
      alter role supabase_auth_admin password null";
    execute(&admin, forget).await;
    installation.run(&["stop"]);
    process.wait();
    let process = installation.start(&[]);
    assert_eq!(value(&process.database_url(), "select 'in'").await, "in");
}

#[test]
fn a_killed_installation_takes_its_server_along() {
    let installation = Installation::new();
    installation.start(&[]).kill();
    wait_until("Postgres stayed behind", || {
        servers_of(&installation.data_dir()) == 0
    });
}

#[test]
fn a_pid_file_that_names_a_stranger_is_no_obstacle() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    installation.run(&["stop"]);
    process.wait();
    let data = installation.data_dir().join("postgres");
    let stale = format!(
        "{}\n{}\n1\n5432\n\n127.0.0.1\n",
        std::process::id(),
        data.display()
    );
    fs::write(data.join("postmaster.pid"), stale).unwrap();
    installation.start(&[]);
}

#[test]
fn roots_data_moves_out_of_an_unreachable_folder() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let installation = Installation::in_folder(folder);
    let process = installation.start(&[]);
    let real = fs::canonicalize(installation.data_dir().join("postgres")).unwrap();
    let output = process.output();
    drop(process);
    assert!(real.starts_with("/var/lib/wildfire"), "{}", real.display());
    assert!(output.contains(real.to_str().unwrap()), "{output}");
    // The killed server is gone once the next start has been and stopped.
    drop(installation.start(&[]));
    let reset = installation.run(&["db", "reset", "--yes"]);
    assert!(reset.status.success());
    fs::remove_dir_all(real.parent().unwrap()).unwrap();
}
