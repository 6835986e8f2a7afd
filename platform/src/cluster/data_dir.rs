//! The data folder: its lock, its state, and `initdb`.
//!
//! A folder is created beside its final place and renamed when complete, so that
//! a start that was interrupted or ran out of disk leaves nothing half done.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::SUPERUSER;
use super::account::Account;
use super::binaries::Binaries;
use super::error::{ClusterError, says_disk_full};
use super::{own, settings};

/// Holds a data folder for one process; released when dropped or when the
/// process ends, however it ends.
#[derive(Debug)]
pub(super) struct FolderLock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl FolderLock {
    /// Takes the lock of `data_dir`, or says that another process has it.
    pub(super) fn take(data_dir: &Path) -> Result<Self, ClusterError> {
        let path = data_dir.with_added_extension("lock");
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file =
            own::open_no_link(&mut options, &path).map_err(ClusterError::io("Opening", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(ClusterError::FolderInUse {
                path: data_dir.to_owned(),
            }),
            Err(TryLockError::Error(error)) => Err(ClusterError::io("Locking", &path)(error)),
        }
    }
}

/// The major version a data folder was created with; `None` when it is none yet.
pub fn major_of(data_dir: &Path) -> Option<u32> {
    fs::read_to_string(data_dir.join("PG_VERSION"))
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// What has to be done with a data folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has to be created.
    Missing,
    /// It can be started.
    Ready,
}

/// Looks at `data_dir` and refuses what `binaries` cannot start.
pub(super) fn inspect(data_dir: &Path, binaries: &Binaries) -> Result<State, ClusterError> {
    if let Some(found) = major_of(data_dir) {
        return if found == binaries.major() {
            Ok(State::Ready)
        } else {
            Err(ClusterError::WrongMajor {
                path: data_dir.to_owned(),
                found,
                have: binaries.major(),
                binaries: binaries.bin().to_owned(),
            })
        };
    }
    match fs::read_dir(data_dir).map(|mut entries| entries.next().is_none()) {
        Ok(false) => Err(ClusterError::NotADataFolder {
            path: data_dir.to_owned(),
        }),
        Ok(true) => Ok(State::Missing),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(ClusterError::io("Reading", data_dir)(error)),
    }
}

/// What `initdb` needs to know.
pub(super) struct Init<'a> {
    pub(super) binaries: &'a Binaries,
    pub(super) account: Option<Account>,
    pub(super) data_dir: &'a Path,
    pub(super) password: &'a str,
    pub(super) durable: bool,
}

impl Init<'_> {
    /// Creates the data folder. Blocks.
    pub(super) fn run(&self) -> Result<(), ClusterError> {
        let parent = self.data_dir.parent().unwrap_or(Path::new("/"));
        let prefix = init_prefix(self.data_dir);
        let work = tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map_err(ClusterError::io("Creating a folder in", parent))?;
        // Written before the folder belongs to somebody else.
        let password_file = work.path().join("password");
        own::create_anew(&password_file)
            .and_then(|mut file| file.write_all(self.password.as_bytes()))
            .map_err(ClusterError::io("Writing", &password_file))?;
        if let Some(account) = self.account {
            account.take(&password_file)?;
            account.take(work.path())?;
        }
        let partial = work.path().join("data");
        self.initdb(&password_file, &partial)?;
        append_include(&partial)?;
        fs::rename(&partial, self.data_dir)
            // The new name has to be on disk before anything in the folder counts.
            .and_then(|()| File::open(parent)?.sync_all())
            .map_err(ClusterError::io("Creating", self.data_dir))
    }

    fn initdb(&self, password_file: &Path, partial: &Path) -> Result<(), ClusterError> {
        let run = |locale: &str| {
            let mut command = self.command(partial, password_file, locale);
            super::server::die_with_parent(&mut command);
            let program = command.get_program().to_owned();
            command
                .output()
                .map_err(ClusterError::io("Running", Path::new(&program)))
        };
        let mut output = run("C.UTF-8")?;
        if says(&output, "invalid locale") {
            // Systems without C.UTF-8, such as older versions of macOS.
            _ = fs::remove_dir_all(partial);
            output = run("C")?;
        }
        if output.status.success() {
            return Ok(());
        }
        let text = both(&output);
        Err(if says_disk_full(&text) {
            ClusterError::DiskFull {
                path: self.data_dir.to_owned(),
            }
        } else {
            ClusterError::Init {
                path: self.data_dir.to_owned(),
                output: text,
            }
        })
    }

    fn command(&self, partial: &Path, password_file: &Path, locale: &str) -> Command {
        let mut command = Command::new(self.binaries.program("initdb"));
        super::server::clean_environment(&mut command);
        if let Some(account) = self.account {
            account.apply(&mut command);
        }
        command
            .arg("--pgdata")
            .arg(partial)
            .arg(format!("--username={SUPERUSER}"))
            .arg(format!("--pwfile={}", password_file.display()))
            .arg("--auth=scram-sha-256")
            .arg("--encoding=UTF8")
            .arg(format!("--locale={locale}"));
        if self.binaries.major() >= 17 {
            // Sorts the same on every machine and after every system upgrade.
            command.args(["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]);
        }
        if self.durable {
            command.arg("--data-checksums");
        } else {
            command.arg("--no-sync");
        }
        command
    }
}

/// How the folders begin in which a data folder is created.
fn init_prefix(data_dir: &Path) -> String {
    format!("{}.init-", name_of(data_dir))
}

/// Removes what interrupted starts left: only folders `initdb` was still working in, since a
/// complete one has its final name. The caller holds the folder's lock.
pub(super) fn remove_abandoned(data_dir: &Path) {
    let prefix = init_prefix(data_dir);
    let parent = data_dir.parent().unwrap_or(Path::new("/"));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn append_include(data_dir: &Path) -> Result<(), ClusterError> {
    let path = data_dir.join("postgresql.conf");
    let line = format!("\ninclude_if_exists = '{}'\n", settings::CONFIG_FILE);
    let mut file = own::open_no_link(File::options().append(true), &path)
        .map_err(ClusterError::io("Opening", &path))?;
    file.write_all(line.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(ClusterError::io("Writing", &path))
}

/// Writes this start's settings. The file is root's when root starts the server:
/// readable by the server's account, and not its to change.
pub(super) fn write_config(data_dir: &Path, text: &str) -> Result<(), ClusterError> {
    let path = data_dir.join(settings::CONFIG_FILE);
    let partial = path.with_extension("conf.partial");
    own::create_anew(&partial)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_permissions(fs::Permissions::from_mode(0o644))
        })
        .map_err(ClusterError::io("Writing", &partial))?;
    fs::rename(&partial, &path).map_err(ClusterError::io("Writing", &path))
}

/// The server's log stands beside its folder, so that it survives the folder.
pub(super) fn log_path(data_dir: &Path) -> PathBuf {
    data_dir.with_added_extension("log")
}

fn name_of(data_dir: &Path) -> String {
    data_dir
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn both(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stderr = stderr.trim();
    if stderr.is_empty() {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    } else {
        stderr.to_owned()
    }
}

fn says(output: &Output, text: &str) -> bool {
    !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once() {
        let root = tempfile::tempdir().unwrap();
        let data_dir = root.path().join("postgres");
        let first = FolderLock::take(&data_dir).unwrap();
        let second = FolderLock::take(&data_dir).unwrap_err();
        assert!(
            matches!(second, ClusterError::FolderInUse { .. }),
            "{second}"
        );
        drop(first);
        FolderLock::take(&data_dir).unwrap();
    }

    #[test]
    fn abandoned_work_is_removed_and_neighbours_stay() {
        let root = tempfile::tempdir().unwrap();
        for name in ["postgres.init-abc", "postgres", "postgres2.init-abc"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        remove_abandoned(&root.path().join("postgres"));
        assert!(!root.path().join("postgres.init-abc").exists());
        assert!(root.path().join("postgres").exists());
        assert!(root.path().join("postgres2.init-abc").exists());
    }
}
