//! Running in the background: `wildfire start --detach` starts itself again, waits
//! until that one is ready, and leaves.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::instance::{LOG_FILE, LifecycleError, State, running};

const POLL: Duration = Duration::from_millis(50);
const TAIL_LINES: usize = 15;

/// The most that is read of what a start wrote, bytes from the end.
const LONGEST: u64 = 1 << 20;

/// What became of a background start.
#[derive(Debug)]
pub struct Detached {
    /// Where it is.
    pub state: State,
    /// What it has said so far.
    pub output: String,
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
    // What an earlier one said last is what somebody may want to read now; and whoever empties the
    // file meanwhile finds the next line at its beginning.
    let output = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&log)
        .map_err(failed)?;
    let begin = output.metadata().map_err(failed)?.len();
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
                output: tail(&said_since(&log, begin).map_err(failed)?),
                log,
            });
        }
        if let Some(state) = running(data_dir)?
            && state.pid == child.id()
        {
            let output = said_since(&log, begin).map_err(failed)?;
            return Ok(Detached { state, output });
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Leaves the terminal's session, so that closing it does not end this process.
pub fn become_detached() {
    // Refused for a process that already leads one, which is just as well.
    _ = rustix::process::setsid();
}

/// What stands in the log from there on; of very much, the end.
fn said_since(log: &Path, begin: u64) -> io::Result<String> {
    let mut log = File::open(log)?;
    let begin = begin.max(log.metadata()?.len().saturating_sub(LONGEST));
    log.seek(SeekFrom::Start(begin))?;
    let mut said = Vec::new();
    log.take(LONGEST).read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let start = lines.len().saturating_sub(TAIL_LINES);
    lines[start..].join("\n")
}
