//! The server process: started as a child that cannot outlive this process, and
//! stopped without losing anything.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tokio::sync::watch;

use super::error::ClusterError;
use super::own;

/// A log larger than this is set aside at the next start.
const LOG_LIMIT: u64 = 16 * 1024 * 1024;

/// A child process with a thread that waits for it.
#[derive(Debug)]
pub(super) struct Server {
    pid: Pid,
    reaped: Arc<Mutex<bool>>,
    ended: watch::Receiver<bool>,
    /// How `drop` stops it: a throw-away server needs no checkpoint.
    signal_on_drop: Signal,
}

impl Server {
    /// Starts `command`. The child belongs to a thread that does nothing but wait
    /// for it: Linux sends the "parent died" signal when the *thread* that started
    /// a child ends, which a runtime's worker thread may do at any time.
    pub(super) fn spawn(mut command: Command, durable: bool) -> io::Result<Self> {
        die_with_parent(&mut command);
        let (started, start) = mpsc::channel();
        let (end, ended) = watch::channel(false);
        let reaped = Arc::new(Mutex::new(false));
        let thread_reaped = Arc::clone(&reaped);
        thread::Builder::new()
            .name("postgres".to_owned())
            .spawn(move || {
                let child = match command.spawn() {
                    Ok(child) => child,
                    Err(error) => {
                        _ = started.send(Err(error));
                        return;
                    }
                };
                _ = started.send(Ok(pid_of(&child)));
                reap(child, &thread_reaped);
                end.send_replace(true);
            })?;
        let pid = start.recv().map_err(io::Error::other)??;
        let signal_on_drop = if durable { Signal::INT } else { Signal::QUIT };
        Ok(Self {
            pid,
            reaped,
            ended,
            signal_on_drop,
        })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub(super) fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Resolves when the process is gone.
    pub(super) async fn exited(&self) {
        // An error means the waiting thread is gone, which it is after the child.
        _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// Fast shutdown, then immediate, then kill.
    pub(super) async fn stop(
        &self,
        fast: Duration,
        immediate: Duration,
    ) -> Result<(), ClusterError> {
        let steps = [
            (Signal::INT, fast),
            (Signal::QUIT, immediate),
            (Signal::KILL, immediate),
        ];
        for (signal, patience) in steps {
            self.signal(signal);
            if tokio::time::timeout(patience, self.exited()).await.is_ok() {
                return Ok(());
            }
            tracing::warn!(postgres.pid = self.pid(), "Postgres is slow to stop");
        }
        Err(ClusterError::NotStopped { pid: self.pid() })
    }

    /// Signals the process unless it is gone: its number may be another's by then.
    fn signal(&self, signal: Signal) {
        let reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        if !*reaped {
            _ = kill_process(self.pid, signal);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.has_ended() {
            return;
        }
        self.signal(self.signal_on_drop);
        let started = Instant::now();
        while !self.has_ended() && started.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Waits without reaping first, so that nobody signals a number that is free.
fn reap(mut child: Child, reaped: &Mutex<bool>) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(pid_of(&child)), options) {}
    let mut reaped = reaped.lock().unwrap_or_else(PoisonError::into_inner);
    _ = child.wait();
    *reaped = true;
}

/// A terminal's Ctrl-C reaches the whole process group: the server gets its own,
/// because it has to outlive the services that are still finishing requests.
#[cfg_attr(
    not(target_os = "linux"),
    expect(unused_variables, reason = "Linux only")
)]
pub(super) fn die_with_parent(command: &mut Command) {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        #[expect(
            unsafe_code,
            reason = "only the child itself can ask to die with its parent"
        )]
        // SAFETY: runs between fork and exec, and makes two plain system calls
        // that allocate nothing and take no lock. std calls it after the change of
        // user, which would clear the setting.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::INT))?;
                if rustix::process::getppid() == Some(parent) {
                    Ok(())
                } else {
                    Err(io::Error::other("the parent process ended"))
                }
            });
        }
    }
}

/// Nothing of the caller's environment may change how Postgres behaves (`PGPORT`,
/// `PGDATA`, `LC_ALL`, …), and its folder may be one the account cannot enter.
pub(super) fn clean_environment(command: &mut Command) {
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .current_dir("/")
        .stdin(Stdio::null());
}

/// Opens the server's log for appending and says where this run begins.
pub(super) fn open_log(path: &Path) -> Result<(File, u64), ClusterError> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.len() > LOG_LIMIT) {
        let old = path.with_added_extension("old");
        fs::rename(path, &old).map_err(ClusterError::io("Renaming", path))?;
    }
    let mut options = File::options();
    options.create(true).append(true);
    // For nobody else: failed statements are in it, with their values.
    let file = own::open_no_link(&mut options, path).map_err(ClusterError::io("Opening", path))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    Ok((file, length))
}

/// The last lines of the log since `offset`, for error messages.
pub(super) fn log_tail(path: &Path, offset: u64) -> String {
    let mut text = String::new();
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(offset))?;
        file.read_to_string(&mut text)
    });
    if read.is_err() || text.trim().is_empty() {
        return "it left no message".to_owned();
    }
    let lines: Vec<&str> = text.trim().lines().rev().take(6).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}
