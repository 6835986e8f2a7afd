//! Start, stop, crash.

use std::fs;
use std::time::Duration;

use platform::cluster::{Cluster, ClusterError};
use rustix::process::{Pid, Signal, kill_process};

use super::{binaries, open_folder, value};

#[tokio::test]
async fn a_new_cluster_is_as_upstream_expects_it() {
    let cluster = Cluster::temporary(binaries()).start().await.unwrap();
    let url = cluster.superuser_url("postgres");
    assert!(cluster.initialised());
    assert_eq!(
        value(&url, "select current_user::text").await,
        "supabase_admin"
    );
    assert_eq!(value(&url, "show server_encoding").await, "UTF8");
    assert_eq!(value(&url, "show wal_level").await, "logical");
    assert_eq!(value(&url, "show listen_addresses").await, "127.0.0.1");
    assert_eq!(
        value(&url, "show password_encryption").await,
        "scram-sha-256"
    );
    assert_eq!(value(&url, "show timezone").await, "UTC");
    assert_eq!(value(&url, "select upper('ä')").await, "Ä");
    let folder = cluster.data_dir().to_owned();
    cluster.stop().await.unwrap();
    assert!(!folder.exists(), "a throw-away folder stays behind");
}

#[tokio::test]
async fn a_durable_cluster_keeps_its_data_and_syncs() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let cluster = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap();
    let url = cluster.superuser_url("postgres");
    assert_eq!(value(&url, "show fsync").await, "on");
    assert_eq!(value(&url, "show data_checksums").await, "on");
    let made = "create table t as select 'kept' as v; select v from t";
    run(&url, made).await;
    cluster.stop().await.unwrap();

    let cluster = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap();
    assert!(!cluster.initialised());
    assert_eq!(
        value(&cluster.superuser_url("postgres"), "select v from t").await,
        "kept"
    );
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_loses_nothing_committed() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let cluster = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap();
    run(
        &cluster.superuser_url("postgres"),
        "create table t as select 'kept' as v",
    )
    .await;
    kill_process(pid(&cluster), Signal::KILL).unwrap();
    tokio::time::timeout(Duration::from_mins(2), cluster.exited())
        .await
        .unwrap();
    drop(cluster);

    assert!(
        data_dir.join("postmaster.pid").exists(),
        "the pid file is stale now"
    );
    let cluster = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap();
    assert_eq!(
        value(&cluster.superuser_url("postgres"), "select v from t").await,
        "kept"
    );
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_pid_file_that_names_a_stranger_is_ignored() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap()
        .stop()
        .await
        .unwrap();
    // This test's own process: alive, and not a server.
    let stranger = std::process::id();
    let text = format!("{stranger}\n{}\n1\n5432\n\n127.0.0.1\n", data_dir.display());
    fs::write(data_dir.join("postmaster.pid"), text).unwrap();
    let cluster = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap();
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn dropping_a_cluster_stops_its_server() {
    let cluster = Cluster::temporary(binaries()).start().await.unwrap();
    let pid = pid(&cluster);
    drop(cluster);
    assert!(!runs(pid));
}

#[tokio::test]
async fn one_folder_serves_one_cluster() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let cluster = Cluster::builder(binaries(), &data_dir)
        .durable(false)
        .start()
        .await
        .unwrap();
    let second = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap_err();
    assert!(
        matches!(second, ClusterError::FolderInUse { .. }),
        "{second}"
    );
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn the_owner_of_a_folder_is_not_locked_out_by_its_password() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let start = |password: &str| {
        let cluster = Cluster::builder(binaries(), &data_dir).durable(false);
        cluster.superuser_password(password.into()).start()
    };
    let cluster = start("first").await.unwrap();
    cluster.stop().await.unwrap();
    let cluster = start("second").await.unwrap();
    assert!(cluster.password_changed());
    assert_eq!(
        value(&cluster.superuser_url("postgres"), "select 'in'").await,
        "in"
    );
    cluster.stop().await.unwrap();
    let cluster = start("second").await.unwrap();
    assert!(!cluster.password_changed());
    cluster.stop().await.unwrap();
}

/// The test process is the parent of a helper that starts a server and is killed;
/// the helper is this same test, told so by a variable of its environment.
#[tokio::test]
async fn a_server_does_not_outlive_a_killed_parent() {
    const HELPER: &str = "WILDFIRE_TEST_HELPER_FOLDER";
    if let Some(folder) = std::env::var_os(HELPER) {
        let cluster = Cluster::builder(binaries(), &folder)
            .durable(false)
            .start()
            .await
            .unwrap();
        fs::write(
            std::path::Path::new(&folder).with_extension("up"),
            cluster.pid().to_string(),
        )
        .unwrap();
        cluster.exited().await;
        return;
    }
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let mut helper = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "lifecycle::a_server_does_not_outlive_a_killed_parent",
        ])
        .env(HELPER, &data_dir)
        .spawn()
        .unwrap();
    let up = data_dir.with_extension("up");
    let pid = wait_for(|| {
        fs::read_to_string(&up)
            .ok()?
            .parse()
            .ok()
            .and_then(Pid::from_raw)
    })
    .await;
    helper.kill().unwrap();
    helper.wait().unwrap();
    // Starting again at once has to cope with a server that is still going down.
    let cluster = Cluster::builder(binaries(), &data_dir)
        .durable(false)
        .start()
        .await
        .unwrap();
    assert!(!runs(pid), "the killed parent's server is still there");
    cluster.stop().await.unwrap();
}

/// Whether the process runs. An ended one that nobody has waited for yet keeps its
/// number, but has no program any more.
fn runs(pid: Pid) -> bool {
    fs::read_link(format!("/proc/{}/exe", pid.as_raw_nonzero())).is_ok()
}

async fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    let waiting = async {
        loop {
            if let Some(value) = ready() {
                return value;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting)
        .await
        .expect("it never happened")
}

fn pid(cluster: &Cluster) -> Pid {
    Pid::from_raw(i32::try_from(cluster.pid()).unwrap()).unwrap()
}

async fn run(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    let driver = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
}
