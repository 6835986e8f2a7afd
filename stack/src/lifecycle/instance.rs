//! The lock and the state file of a running installation.
//!
//! The lock says whether one runs, because it goes with the process however that
//! ends; the state file only says where. A process id alone would prove nothing.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::secrets::FILE as SECRETS_FILE;

/// The background process's output, in the data folder.
pub const LOG_FILE: &str = "wildfire.log";
const LOCK_FILE: &str = "wildfire.lock";
const STATE_FILE: &str = "wildfire.json";
/// What a restore unpacked, before and while it is put in its place.
pub const RESTORE_READY: &str = "restore.ready";
/// As [`RESTORE_READY`], when what was there before is set aside.
pub const RESTORE_MOVING: &str = "restore.moving";

/// Somebody asking for the status holds the lock for an instant.
const PATIENCE: Duration = Duration::from_millis(300);
const POLL: Duration = Duration::from_millis(20);

/// How often it is looked whether the folder is still this installation's.
const LOOK: Duration = Duration::from_millis(500);

/// What a running installation tells others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The process.
    pub pid: u32,
    /// The program's version.
    pub version: String,
    /// The project folder it serves.
    pub workdir: PathBuf,
    /// Where clients reach the API.
    pub api_url: String,
    /// The API port.
    pub api_port: u16,
    /// The app port.
    pub app_port: Option<u16>,
    /// The mailbox port.
    pub mail_port: Option<u16>,
    /// The port of the embedded Postgres.
    pub db_port: Option<u16>,
    /// The database somebody brought, with its credentials: the file is its owner's alone.
    pub db_url: Option<String>,
}

/// Why an installation cannot be started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum LifecycleError {
    /// Another process has the data folder.
    #[error("{}", already_running(data_dir, state.as_deref()))]
    AlreadyRunning {
        /// The folder.
        data_dir: PathBuf,
        /// What the other process says about itself.
        state: Option<Box<State>>,
    },
    /// The folder is somebody's, for something else.
    #[error(
        "The folder {} is not one of Wildfire: {found:?} is in it. Name an empty or a new one with \
         --data-dir.",
        data_dir.display()
    )]
    StrangeFolder {
        /// The folder.
        data_dir: PathBuf,
        /// What is in it, or one of many.
        found: String,
    },
    /// No folder at all.
    #[error(
        "{} is a file, and data is kept in a folder. Name another one with --data-dir.",
        data_dir.display()
    )]
    NoFolder {
        /// What was named.
        data_dir: PathBuf,
    },
    /// Neither the old nor the restored data is in its place.
    #[error(
        "A restore into {} was broken off when all was unpacked. Run the same `wildfire restore` again \
         to finish it.", data_dir.display()
    )]
    HalfRestored {
        /// The folder.
        data_dir: PathBuf,
    },
    /// A start that is not done, or another command that has the folder to itself.
    #[error(
        "Wildfire ({}) has the data folder {} and does not serve: it starts, migrates, copies or \
         restores. Wait for it, or end it with Ctrl-C where it runs, or with `kill`.",
        process(*pid), data_dir.display()
    )]
    Busy {
        /// The folder.
        data_dir: PathBuf,
        /// Its process, where it is known.
        pid: Option<u32>,
    },
    /// Nothing to stop.
    #[error("Wildfire is not running with the data folder {}.", data_dir.display())]
    NotRunning {
        /// The folder.
        data_dir: PathBuf,
    },
    /// Told to stop and still there.
    #[error("Wildfire (process {pid}) was told to stop and is still running after {seconds} s.")]
    NotStopping {
        /// Its process.
        pid: u32,
        /// How long it was given.
        seconds: u64,
    },
    /// Somebody else's process.
    #[error(
        "Wildfire (process {pid}) was started by another account; stop it as that account or as \
         root."
    )]
    NotOurs {
        /// Its process.
        pid: u32,
    },
    /// A background start that failed.
    #[error("Wildfire did not start:\n{output}\n(full log: {})", log.display())]
    Background {
        /// The end of its log.
        output: String,
        /// The log.
        log: PathBuf,
    },
    /// A file operation failed.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}

fn remedy(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::PermissionDenied {
        ". Run this as the account whose folder that is, or as root."
    } else {
        ""
    }
}

fn already_running(data_dir: &Path, state: Option<&State>) -> String {
    let who = state.map_or_else(String::new, |state| {
        format!(" (process {}, {})", state.pid, state.api_url)
    });
    format!(
        "Wildfire is already running with the data folder {}{who}. Stop it with `wildfire stop`, \
         or choose another folder with --data-dir and other ports.",
        data_dir.display()
    )
}

/// The right to run with a data folder; given back when dropped.
#[derive(Debug)]
pub struct Instance {
    data_dir: PathBuf,
    lock: File,
}

impl Instance {
    /// Takes the data folder, or says who has it.
    pub fn acquire(data_dir: &Path) -> Result<Self, LifecycleError> {
        let started = Instant::now();
        loop {
            if let Some(mut lock) = try_lock(data_dir)? {
                // For whoever asks before it serves; that they learn nothing is no reason to end.
                _ = lock
                    .set_len(0)
                    .and_then(|()| writeln!(lock, "{}", std::process::id()));
                let instance = Self {
                    data_dir: data_dir.to_owned(),
                    lock,
                };
                // Left by a process that was killed.
                instance.forget();
                return Ok(instance);
            }
            if started.elapsed() > PATIENCE {
                let state = read_state(data_dir).map(Box::new);
                return Err(LifecycleError::AlreadyRunning {
                    data_dir: data_dir.to_owned(),
                    state,
                });
            }
            thread::sleep(POLL);
        }
    }

    /// Tells others where this installation is. It is there from then on.
    pub fn publish(&self, state: &State) -> Result<(), LifecycleError> {
        let path = self.data_dir.join(STATE_FILE);
        let failed = |source| LifecycleError::File {
            path: path.clone(),
            source,
        };
        let partial = path.with_extension("json.partial");
        let text = serde_json::to_vec_pretty(state).map_err(|error| failed(error.into()))?;
        let mut options = File::options();
        let file = options
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&partial);
        file.and_then(|mut file| file.write_all(&text))
            .and_then(|()| fs::rename(&partial, &path))
            .map_err(failed)
    }

    /// Waits until the folder was replaced by one that another process has taken: the two would fight
    /// for its database. One that is only gone may come back.
    pub async fn replaced(&self) {
        while !self.is_replaced() {
            tokio::time::sleep(LOOK).await;
        }
    }

    fn is_replaced(&self) -> bool {
        let there = fs::metadata(self.data_dir.join(LOCK_FILE));
        match (there, self.lock.metadata()) {
            (Ok(there), Ok(own)) => (there.dev(), there.ino()) != (own.dev(), own.ino()),
            _ => false,
        }
    }

    fn forget(&self) {
        if !self.is_replaced() {
            _ = fs::remove_file(self.data_dir.join(STATE_FILE));
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Refuses a data folder that another process has, or that is something else; writes nothing where
/// none ever ran.
pub fn refuse_if_taken(data_dir: &Path) -> Result<(), LifecycleError> {
    if is_half_restored(data_dir) {
        let data_dir = data_dir.to_owned();
        return Err(LifecycleError::HalfRestored { data_dir });
    }
    if data_dir.join(LOCK_FILE).exists() {
        Instance::acquire(data_dir)?;
        return Ok(());
    }
    if data_dir.is_file() {
        return Err(LifecycleError::NoFolder {
            data_dir: data_dir.to_owned(),
        });
    }
    match strange_entry(data_dir) {
        None => Ok(()),
        Some(found) => Err(LifecycleError::StrangeFolder {
            data_dir: data_dir.to_owned(),
            found,
        }),
    }
}

/// Whether a restore was broken off between the old data and the new.
pub fn is_half_restored(data_dir: &Path) -> bool {
    [RESTORE_READY, RESTORE_MOVING]
        .iter()
        .any(|name| data_dir.join(name).exists())
}

/// Something in the folder that no start puts there, if no start ever did.
fn strange_entry(data_dir: &Path) -> Option<String> {
    let is_there = |name: &&str| data_dir.join(name).is_file();
    if [SECRETS_FILE, STATE_FILE, "postgres/PG_VERSION"]
        .iter()
        .any(is_there)
    {
        return None;
    }
    // What may be there before a first start, or after one that was broken off early.
    let is_harmless = |name: &str| {
        name.starts_with('.') && !data_dir.join(name).is_dir()
            || ["lost+found", "mail", "postgres", LOG_FILE].contains(&name)
    };
    let entries = fs::read_dir(data_dir).ok()?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !is_harmless(name)).min()
}

/// The installation that runs with `data_dir` and is ready, if one is.
pub fn running(data_dir: &Path) -> Result<Option<State>, LifecycleError> {
    if !data_dir.join(LOCK_FILE).exists() || try_lock(data_dir)?.is_some() {
        return Ok(None);
    }
    Ok(read_state(data_dir))
}

/// The installation that runs with `data_dir`, or why there is none to speak of.
pub fn serving(data_dir: &Path) -> Result<State, LifecycleError> {
    let data_dir = data_dir.to_owned();
    if let Some(state) = running(&data_dir)? {
        return Ok(state);
    }
    let is_held = data_dir.join(LOCK_FILE).exists() && try_lock(&data_dir)?.is_none();
    Err(if is_held {
        let pid = fs::read_to_string(data_dir.join(LOCK_FILE));
        let pid = pid.ok().and_then(|text| text.trim().parse().ok());
        LifecycleError::Busy { data_dir, pid }
    } else {
        LifecycleError::NotRunning { data_dir }
    })
}

/// Asks the installation to stop and waits until it has.
pub fn stop(data_dir: &Path, patience: Duration) -> Result<State, LifecycleError> {
    let not_running = || LifecycleError::NotRunning {
        data_dir: data_dir.to_owned(),
    };
    let state = serving(data_dir)?;
    let pid = i32::try_from(state.pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(not_running)?;
    kill_process(pid, Signal::TERM).map_err(|_| LifecycleError::NotOurs { pid: state.pid })?;
    let started = Instant::now();
    while try_lock(data_dir)?.is_none() {
        if started.elapsed() > patience {
            let (pid, seconds) = (state.pid, patience.as_secs());
            return Err(LifecycleError::NotStopping { pid, seconds });
        }
        thread::sleep(POLL);
    }
    Ok(state)
}

fn try_lock(data_dir: &Path) -> Result<Option<File>, LifecycleError> {
    let path = data_dir.join(LOCK_FILE);
    let failed = |source| LifecycleError::File {
        path: path.clone(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn read_state(data_dir: &Path) -> Option<State> {
    serde_json::from_slice(&fs::read(data_dir.join(STATE_FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        State {
            pid: std::process::id(),
            version: "1".to_owned(),
            workdir: PathBuf::from("/project"),
            api_url: "http://127.0.0.1:1".to_owned(),
            api_port: 1,
            app_port: None,
            mail_port: None,
            db_port: None,
            db_url: None,
        }
    }

    #[test]
    fn a_folder_has_one_instance_and_it_says_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(running(folder.path()).unwrap(), None);
        let instance = Instance::acquire(folder.path()).unwrap();
        let early = stop(folder.path(), PATIENCE).unwrap_err().to_string();
        let own = format!("process {}", std::process::id());
        assert!(
            early.contains(&own) && early.contains("does not serve"),
            "{early}"
        );
        instance.publish(&state()).unwrap();
        assert_eq!(running(folder.path()).unwrap(), Some(state()));
        let second = Instance::acquire(folder.path()).unwrap_err();
        assert!(
            second.to_string().contains("http://127.0.0.1:1"),
            "{second}"
        );
        drop(instance);
        assert_eq!(running(folder.path()).unwrap(), None);
    }

    #[test]
    fn a_state_file_without_its_process_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let text = serde_json::to_vec(&state()).unwrap();
        fs::write(folder.path().join(STATE_FILE), text).unwrap();
        assert_eq!(running(folder.path()).unwrap(), None);
        let error = stop(folder.path(), PATIENCE).unwrap_err();
        assert!(
            matches!(error, LifecycleError::NotRunning { .. }),
            "{error}"
        );
    }
}
