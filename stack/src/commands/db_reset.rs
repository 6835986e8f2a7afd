//! `wildfire db reset`: an empty database, migrated and seeded again, also under a running installation.
//!
//! The new database is made beside the old one and changes places with it when it is complete. Whatever
//! ends a reset before that has changed nothing; what it leaves is removed by the next start.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};
use std::time::Instant;

use platform::cluster::{Hold, data_dir_location, stop_leftover};
use platform::env::Vars;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::setup::{Setup, database_url, running_alike, shown};
use super::{CliError, Folders, migrate};
use crate::lifecycle::{State, refuse_if_taken};
use crate::postgres::{self, OpenOptions, Postgres, PostgresError};
use crate::secrets::Secrets;
use crate::ui::Ui;

/// Asks, makes a new database, puts it in the old one's place and deletes that.
pub(super) async fn run(folders: &Folders, yes: bool, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(folders, vars)?;
    let state = running_alike(&setup.data_dir)?;
    let brought = match &state {
        Some(state) => state.db_url.clone(),
        None => database_url(None, vars),
    };
    if brought.is_some() {
        return Err(CliError::NotEmbedded);
    }
    if state.is_none() {
        refuse_if_taken(&setup.data_dir)?;
    }
    let secrets = setup.secrets(vars)?;
    Postgres::check_new(&migrate::open_options(&setup, &secrets, None, 0, vars))?;
    let data = postgres::data_dir(&setup.data_dir);
    let question = format!("Delete all data in {}?", shown(&data));
    if !yes && data.exists() && !ui.confirm(&question) {
        return Err(CliError::NotConfirmed);
    }
    // Whoever runs has the folder already.
    let (_instance, secrets) = match &state {
        None => setup
            .claim(secrets, vars)
            .map(|(it, secrets)| (Some(it), secrets))?,
        Some(_) => (None, secrets),
    };
    if let Some(state) = &state {
        refuse_other_environment(state, &secrets).await?;
    }
    let beside = Beside::create(&setup.data_dir)?;
    let options = OpenOptions {
        data_dir: &beside.folder,
        ..migrate::open_options(&setup, &secrets, None, 0, vars)
    };
    if let Err(error) = make(&setup, &options, ui).await {
        ui.note("The database is as it was.");
        return Err(error);
    }
    beside.change_places()?;
    if let Some(state) = &state {
        come_back(state, &secrets, ui).await?;
    }
    ui.note("The database is empty but for migrations and seed.");
    Ok(())
}

/// Removes what a reset left that was killed.
pub(super) fn remove_left(data_dir: &Path) -> Result<(), CliError> {
    if folder_beside(&location(data_dir)).exists() {
        drop(Beside::create(data_dir)?);
    }
    Ok(())
}

async fn make(setup: &Setup, options: &OpenOptions<'_>, ui: Ui) -> Result<(), CliError> {
    let postgres = migrate::open(setup, options, ui).await?;
    Ok(postgres.stop().await?)
}

/// The new database gets the password of this environment, and whoever runs has to know it. A server that
/// does not answer may be why somebody resets.
async fn refuse_other_environment(state: &State, secrets: &Secrets) -> Result<(), CliError> {
    let Some(port) = state.db_port else {
        return Ok(());
    };
    match postgres::check_reach(port, secrets).await {
        Err(error @ PostgresError::OtherEnvironment) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Waits until the running installation has started a server on the new database.
async fn come_back(state: &State, secrets: &Secrets, ui: Ui) -> Result<(), CliError> {
    let started = Instant::now();
    if let Some(port) = state.db_port {
        postgres::wait_until_up(port, secrets).await?;
    }
    ui.done(
        "The running Wildfire uses the new database; whoever was signed in is not",
        started,
    );
    Ok(())
}

fn location(data_dir: &Path) -> PathBuf {
    data_dir_location(&postgres::data_dir(data_dir))
}

fn folder_beside(location: &Path) -> PathBuf {
    location.with_added_extension("reset")
}

/// A folder for the new database, and then for the old one; removed when dropped.
struct Beside {
    location: PathBuf,
    folder: PathBuf,
    _lock: File,
}

impl Beside {
    /// Takes the folder and empties it.
    fn create(data_dir: &Path) -> Result<Self, CliError> {
        let location = location(data_dir);
        let folder = folder_beside(&location);
        make_folder(&folder).map_err(failed(&folder))?;
        let lock = File::open(&folder).map_err(failed(&folder))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CliError::ResetAtWork),
            Err(TryLockError::Error(source)) => return Err(failed(&folder)(source)),
        }
        let database = postgres::data_dir(&folder);
        stop_leftover(&database).map_err(PostgresError::from)?;
        remove(&database)?;
        fs::create_dir(&database)
            .and_then(|()| same_owner(&location, &database))
            .map_err(failed(&database))?;
        Ok(Self {
            location,
            folder,
            _lock: lock,
        })
    }

    /// Puts the new database where the old one is. A server that runs on that one is stopped first, since
    /// it would write into the other; the installation it belongs to starts another at once.
    fn change_places(&self) -> Result<(), CliError> {
        let _hold = Hold::take(&self.location).map_err(PostgresError::from)?;
        let new = postgres::data_dir(&self.folder);
        let before = self.folder.join("before");
        let exchanged = renameat_with(CWD, &new, CWD, &self.location, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => Ok(()),
            Err(Errno::NOENT) => rename(&new, &self.location),
            // Not every kind of disk can.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rename(&self.location, &before)?;
                rename(&new, &self.location).inspect_err(|_| {
                    // What is left beside is removed.
                    _ = fs::rename(&before, &self.location);
                })
            }
            Err(error) => Err(failed(&self.location)(error.into())),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.folder);
    }
}

/// The server's account has to pass through when this is root.
fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let mode = if rustix::process::geteuid().is_root() {
        0o711
    } else {
        0o700
    };
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}

/// The account of the old database runs the new one.
fn same_owner(of: &Path, to: &Path) -> io::Result<()> {
    match fs::metadata(of) {
        Ok(metadata) if rustix::process::geteuid().is_root() => {
            lchown(to, Some(metadata.uid()), Some(metadata.gid()))
        }
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), CliError> {
    fs::rename(from, to).map_err(failed(to))
}

fn remove(folder: &Path) -> Result<(), CliError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(folder)(error)),
        _ => Ok(()),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CliError {
    let path = path.to_owned();
    move |source| CliError::Folder { path, source }
}
