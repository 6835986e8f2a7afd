//! A server that ends by itself, or is killed, is started again.

use std::fs;
use std::path::Path;
use std::time::Duration;

use platform::cluster::Cluster;
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_postgres::NoTls;

use super::{binaries, open_folder};

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A cluster that is kept running until `stop`.
struct Kept {
    url: String,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Kept {
    async fn start(data_dir: &Path) -> Self {
        let cluster = Cluster::builder(binaries(), data_dir).start();
        let mut cluster = cluster.await.unwrap();
        let url = cluster.superuser_url("postgres");
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            tokio::select! {
                never = cluster.keep_running() => match never {},
                _ = stopped => {}
            }
            cluster.stop().await.unwrap();
        });
        Self { url, stop, task }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }

    /// Runs a statement as soon as the server lets it.
    async fn run(&self, sql: &str) -> String {
        let trying = async {
            loop {
                if let Ok(value) = try_run(&self.url, sql).await {
                    return value;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, trying)
            .await
            .expect("the server did not come back")
    }
}

async fn try_run(url: &str, sql: &str) -> Result<String, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let driver = tokio::spawn(connection);
    let row = client.query_one(sql, &[]).await;
    drop(client);
    driver.await.unwrap().ok();
    row.map(|row| row.get(0))
}

fn server_of(data_dir: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data_dir.join("postmaster.pid")).ok()?;
    Pid::from_raw(text.lines().next()?.parse().ok()?)
}

/// The processes that work in a data folder.
fn processes_of(data_dir: &Path) -> usize {
    let folder = fs::canonicalize(data_dir).unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_comes_back_at_the_same_address_with_everything_committed() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let kept = Kept::start(&data_dir).await;
    let insert = "insert into t values ($$v$$) returning 'done'";
    create_table(&kept.url).await;
    for round in 1..=3 {
        kept.run(insert).await;
        kill_process(server_of(&data_dir).unwrap(), Signal::KILL).unwrap();
        let count = kept.run("select count(*)::text from t").await;
        assert_eq!(count, round.to_string());
    }
    kept.stop().await;
    assert_eq!(processes_of(&data_dir), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_server_left_running_is_ended() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let kept = Kept::start(&data_dir).await;
    // A statement that never looks whether its server is still there.
    let busy = "select count(*)::text from generate_series(1, 1000000000000) as n";
    let url = kept.url.clone();
    let busy = tokio::spawn(async move { try_run(&url, busy).await });
    let running = "select count(*)::text from pg_stat_activity where query like '%1000000000000%' \
                   and state = 'active' and pid <> pg_backend_pid()";
    while kept.run(running).await != "1" {}
    kill_process(server_of(&data_dir).unwrap(), Signal::KILL).unwrap();
    busy.await.unwrap().unwrap_err();
    assert_eq!(kept.run("select 'back'").await, "back");
    kept.stop().await;
    assert_eq!(processes_of(&data_dir), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_gone_is_waited_for_and_not_made_anew() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let kept = Kept::start(&data_dir).await;
    create_table(&kept.url).await;
    let away = root.path().join("away");
    let server = server_of(&data_dir).unwrap();
    fs::rename(&data_dir, &away).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    // Whatever it tries, nothing may stand where the data was.
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!data_dir.exists());
    }
    fs::rename(&away, &data_dir).unwrap();
    assert_eq!(kept.run("select count(*)::text from t").await, "0");
    kept.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_in_the_middle_of_a_start_leaves_nothing() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let kept = Kept::start(&data_dir).await;
    kill_process(server_of(&data_dir).unwrap(), Signal::KILL).unwrap();
    kept.stop().await;
    assert_eq!(processes_of(&data_dir), 0);
    let kept = Kept::start(&data_dir).await;
    kept.stop().await;
}

async fn create_table(url: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    client
        .batch_execute("create table t (v text)")
        .await
        .unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
}
