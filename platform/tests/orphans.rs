//! Inheriting processes, as the first process of a container does. It is a program of its own,
//! because nobody else's processes must end up here.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getsid};
use platform::cluster::reap_orphans;

const PATIENCE: Duration = Duration::from_mins(1);

/// Starts a process whose parent ends at once.
fn orphan(command: &str) -> Pid {
    let script = format!("{command} >/dev/null 2>&1 & echo $!");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    Pid::from_raw(text.trim().parse().unwrap())
}

fn is_listed(pid: Pid) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether `setsid` has run. The session before may be one that is not seen in here.
fn has_own_session(pid: Pid) -> bool {
    getsid(Some(pid)) == Ok(pid)
}

/// Whether it ended and nobody asked how.
fn is_unasked(pid: Pid) -> bool {
    let stat = format!("/proc/{pid}/stat");
    let stat = std::fs::read_to_string(stat).unwrap();
    stat.rsplit_once(") ").unwrap().1.starts_with('Z')
}

async fn wait_until(what: &str, ready: impl Fn() -> bool) {
    let started = Instant::now();
    while !ready() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_are_reaped_and_own_children_left_to_whoever_waits() {
    set_child_subreaper(true).unwrap();
    // As what an entrypoint started before it became this program: it looks like a child of our
    // own, and nobody waits for it.
    let unasked = orphan("sleep 1000");
    kill(unasked, Signal::SIGKILL).unwrap();
    wait_until("it does not end", || is_unasked(unasked)).await;
    let reaping = tokio::spawn(reap_orphans());
    let waiting: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                for code in 0..50 {
                    let script = format!("exit {code}");
                    let status = Command::new("sh").args(["-c", &script]).status();
                    assert_eq!(status.unwrap().code(), Some(code));
                }
            })
        })
        .collect();
    for _ in 0..10 {
        let pid = orphan("setsid sleep 1000");
        wait_until("it has no session", || has_own_session(pid)).await;
        kill(pid, Signal::SIGKILL).unwrap();
        wait_until("it stays in the process table", || !is_listed(pid)).await;
    }
    for thread in waiting {
        thread.join().unwrap();
    }
    assert!(!reaping.is_finished());
}
