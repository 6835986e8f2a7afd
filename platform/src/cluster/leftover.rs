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
const POLL: Duration = Duration::from_millis(10);

/// Waits until no server uses `data_dir`, asking one that still runs to stop, and
/// removes a pid file that points at a stranger. Blocks.
pub fn clear(data_dir: &Path) -> Result<(), ClusterError> {
    let Ok(folder) = fs::canonicalize(data_dir) else {
        return Ok(());
    };
    let pid_file = folder.join("postmaster.pid");
    let Some(pid) = recorded_pid(&pid_file) else {
        return Ok(());
    };
    let started = Instant::now();
    let mut asked = false;
    while let Some(process) = server_of(&folder, pid) {
        if !asked {
            asked = true;
            tracing::info!(
                postgres.pid = pid.as_raw_nonzero(),
                "Stopping the server of an earlier run"
            );
            // Fast shutdown; asking one that is already on its way out is harmless.
            _ = kill_process(process, Signal::INT);
        }
        if started.elapsed() > PATIENCE {
            let pid = process.as_raw_nonzero().get();
            return Err(ClusterError::LeftoverServer { path: folder, pid });
        }
        thread::sleep(POLL);
    }
    // The server would take any living process of that number for itself.
    if test_kill_process(pid).is_ok() && pid_file.exists() {
        fs::remove_file(&pid_file).map_err(ClusterError::io("Removing", &pid_file))?;
    }
    Ok(())
}

fn recorded_pid(pid_file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(pid_file).ok()?;
    Pid::from_raw(text.lines().next()?.trim().parse().ok()?)
}

/// A process of the server on `folder`: the recorded one, or a backend that
/// outlived it and still has the shared memory.
#[cfg(target_os = "linux")]
fn server_of(folder: &Path, recorded: Pid) -> Option<Pid> {
    if works_in(recorded, folder) {
        return Some(recorded);
    }
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        works_in(pid, folder).then_some(pid)
    })
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
fn server_of(_folder: &Path, recorded: Pid) -> Option<Pid> {
    test_kill_process(recorded).is_ok().then_some(recorded)
}
