//! Running in the background: `wildfire start --detach` starts itself again, waits
//! until that one is ready, and leaves.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::instance::{LOG_FILE, LifecycleError, State, running};

const POLL: Duration = Duration::from_millis(50);
const TAIL_LINES: usize = 15;

/// What became of a background start.
#[derive(Debug)]
pub struct Detached {
    /// Where it is.
    pub state: State,
}

/// Starts this program with `arguments` in the background and waits until it
/// serves or ends.
pub async fn start_detached(
    data_dir: &Path,
    arguments: &[OsString],
) -> Result<Detached, LifecycleError> {
    let log = data_dir.join(LOG_FILE);
    let failed = |source| LifecycleError::File {
        path: log.clone(),
        source,
    };
    let program = std::env::current_exe().map_err(failed)?;
    let output = File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&log)
        .map_err(failed)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(failed)?)
        .stderr(output)
        .spawn()
        .map_err(failed)?;
    loop {
        if child.try_wait().map_err(failed)?.is_some() {
            return Err(LifecycleError::Background {
                output: tail(&log),
                log,
            });
        }
        if let Some(state) = running(data_dir)?
            && state.pid == child.id()
        {
            return Ok(Detached { state });
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Leaves the terminal's session, so that closing it does not end this process.
pub fn become_detached() {
    // Refused for a process that already leads one, which is just as well.
    _ = rustix::process::setsid();
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let start = lines.len().saturating_sub(TAIL_LINES);
    lines[start..].join("\n")
}
