//! What happens to the database without anybody asking for it.

use std::fs::File;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use platform::env::Secret;
use platform::pg::{Database, DatabaseConfig};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::Target;
use crate::Failure;
use crate::http::Connection;

/// How often Postgres is killed, and how long it is left in peace after it answered again.
const KILLS: usize = 10;
const PEACE: Duration = Duration::from_secs(1);

/// Longest time it may stay away before the run is given up.
const PATIENCE: Duration = Duration::from_secs(30);

const WAITING: usize = 32;

/// A table that somebody keeps locked while strangers, each from an address of their own so that
/// no limit per address helps, write to it.
pub(super) async fn locked_table(target: &Target) -> Result<(), Failure> {
    let url = Secret::new(target.database_url.clone());
    let database = Database::new(&DatabaseConfig::new(url, "chaos"))?;
    let mut client = database.client().await?;
    let locked = client.begin();
    locked
        .batch("lock table wildfire.waitlist_entries in access exclusive mode")
        .await?;
    let one = async |index: usize| {
        let source = Ipv4Addr::new(127, 0, 1, u8::try_from(index)?);
        let next = || {
            let email = format!("{}@example.com", hex::encode(rand::random::<[u8; 6]>()));
            target.request("POST", "/api/waitlist", Some(&json!({ "email": email })))
        };
        target.hammer_from(source, next).await
    };
    target.side_by_side(WAITING, one).await;
    Ok(locked.rollback().await?)
}

/// The postmaster dies, again and again.
pub(super) async fn dead_postgres(target: &Target) -> Result<(), Failure> {
    for _ in 0..KILLS {
        tokio::time::sleep(PEACE).await;
        let server = postmaster(target)?;
        let killed = Instant::now();
        kill_process(server, Signal::KILL)?;
        // It may answer once more before it is gone.
        while postmaster(target).is_ok_and(|now| now == server) && killed.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        while !answers(target).await {
            if killed.elapsed() > PATIENCE {
                return Err("the database did not come back".into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        target.tally.count("killed");
    }
    Ok(())
}

/// The child of `wildfire` that is Postgres.
fn postmaster(target: &Target) -> Result<Pid, Failure> {
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // `pid (name) state parent …`
        let mut rest = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let parent: Option<u32> = rest.nth(1).and_then(|parent| parent.parse().ok());
        if stat.contains("(postgres)") && parent == Some(target.pid) {
            return Pid::from_raw(pid).ok_or_else(|| "no process 0".into());
        }
    }
    Err("Postgres is not running".into())
}

/// Whether something that needs the database is served.
async fn answers(target: &Target) -> bool {
    let called = async {
        let request = target.request("GET", "/api/v1/prompts?limit=1", None);
        Connection::open(target.port).await?.call(&request).await
    };
    let answer = tokio::time::timeout(Duration::from_secs(3), called).await;
    matches!(answer, Ok(Ok(answer)) if answer.status == 200)
}

/// The disk is full for ten seconds.
pub(super) async fn disk_full(target: &Target) -> Result<(), Failure> {
    let path = target.disk.join("filler");
    let mut filler = File::create(&path)?;
    let full = Instant::now();
    while full.elapsed() < Duration::from_secs(10) {
        // Again and again: Postgres gives some room back as it goes.
        while filler.write_all(&[0; 16 * 1024]).is_ok() {}
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    drop(filler);
    std::fs::remove_file(&path)?;
    let freed = Instant::now();
    while !answers(target).await && freed.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Time to write again.
    tokio::time::sleep(PEACE).await;
    Ok(())
}
