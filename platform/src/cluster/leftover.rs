//! Servers of an earlier run that still use a data folder.
//!
//! When this process is killed, its server gets the signal to shut down, but may
//! need a moment. The next start waits for it. The process id in
//! `postmaster.pid` alone proves nothing: after a restart of the machine or a
//! container, that number often belongs to another program.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::error::ClusterError;

/// How long a leftover server may take to end, crash recovery included.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long processes without a server may take to notice that they are asked to end.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(10);

/// Waits until no server uses `data_dir`, asking one that still runs to stop and
/// ending what a killed one left, and removes a pid file that points at a
/// stranger. Blocks.
pub fn clear(data_dir: &Path) -> Result<(), ClusterError> {
    let Ok(folder) = fs::canonicalize(data_dir) else {
        return Ok(());
    };
    let pid_file = folder.join("postmaster.pid");
    let recorded = recorded_pid(&pid_file);
    let started = Instant::now();
    let mut asked = false;
    let mut orphaned = None;
    loop {
        let process = match left_of(&folder, recorded) {
            Left::Nobody => break,
            Left::Server(pid) => {
                // Fast shutdown; asking one that is already on its way out is harmless.
                if !std::mem::replace(&mut asked, true) {
                    tracing::info!(
                        postgres.pid = pid.as_raw_nonzero(),
                        "Stopping the server of an earlier run"
                    );
                    _ = kill_process(pid, Signal::INT);
                }
                pid
            }
            Left::Orphans(first, others) => {
                // Nobody hears of what they still do, and recovery undoes it.
                let since = *orphaned.get_or_insert_with(Instant::now);
                let signal = if since.elapsed() < ORPHAN_PATIENCE {
                    Signal::QUIT
                } else {
                    Signal::KILL
                };
                for pid in others.into_iter().chain([first]) {
                    _ = kill_process(pid, signal);
                }
                first
            }
        };
        if started.elapsed() > PATIENCE {
            let pid = process.as_raw_nonzero().get();
            return Err(ClusterError::LeftoverServer { path: folder, pid });
        }
        thread::sleep(POLL);
    }
    // The server would take any living process of that number for itself.
    if recorded.is_some_and(|pid| test_kill_process(pid).is_ok()) && pid_file.exists() {
        fs::remove_file(&pid_file).map_err(ClusterError::io("Removing", &pid_file))?;
    }
    Ok(())
}

/// Whose processes still work in a data folder.
enum Left {
    Nobody,
    /// A server, which takes the others with it.
    Server(Pid),
    /// What outlived a server that was killed; it still has the shared memory.
    Orphans(Pid, Vec<Pid>),
}

/// The number is negative while the server runs for a single user.
fn recorded_pid(pid_file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(pid_file).ok()?;
    let number = text.lines().next()?.trim().trim_start_matches('-');
    Pid::from_raw(number.parse().ok()?)
}

#[cfg(target_os = "linux")]
fn left_of(folder: &Path, recorded: Option<Pid>) -> Left {
    if let Some(server) = recorded.filter(|pid| works_in(*pid, folder)) {
        return Left::Server(server);
    }
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut orphans = processes.filter_map(|entry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        works_in(pid, folder).then_some(pid)
    });
    match orphans.next() {
        Some(first) => Left::Orphans(first, orphans.collect()),
        None => Left::Nobody,
    }
}

/// Every process of a server has its data folder as working folder.
#[cfg(target_os = "linux")]
fn works_in(pid: Pid, folder: &Path) -> bool {
    let process = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder)
        && fs::read_to_string(process.join("comm")).is_ok_and(|name| name.starts_with("postgres"))
}

/// Elsewhere the pid file is all there is to go by.
#[cfg(not(target_os = "linux"))]
fn left_of(_folder: &Path, recorded: Option<Pid>) -> Left {
    match recorded.filter(|pid| test_kill_process(*pid).is_ok()) {
        Some(server) => Left::Server(server),
        None => Left::Nobody,
    }
}
