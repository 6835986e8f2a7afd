//! `wildfire db reset`: an empty database, migrated and seeded again.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use platform::cluster::{data_dir_location, stop_leftover};
use platform::env::Vars;

use super::setup::{Setup, database_url, shown};
use super::{CliError, Folders, migrate};
use crate::lifecycle::{refuse_if_taken, running};
use crate::postgres::{self, OpenOptions, Postgres, PostgresError};
use crate::ui::Ui;

/// Asks, sets the old database aside, makes a new one and deletes the old one.
pub(super) async fn run(folders: &Folders, yes: bool, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(folders, vars)?;
    if database_url(None, vars).is_some() {
        return Err(CliError::NotEmbedded);
    }
    if running(&setup.data_dir)?.is_some() {
        return Err(CliError::StopFirst);
    }
    refuse_if_taken(&setup.data_dir)?;
    let secrets = setup.secrets(vars)?;
    Postgres::check_new(&migrate::open_options(&setup, &secrets, None, 0, vars))?;
    let data = postgres::data_dir(&setup.data_dir);
    let question = format!("Delete all data in {}?", shown(&data));
    if !yes && data.exists() && !ui.confirm(&question) {
        return Err(CliError::NotConfirmed);
    }
    let (_instance, secrets) = setup.claim(secrets, vars)?;
    let options = migrate::open_options(&setup, &secrets, None, 0, vars);
    let location = data_dir_location(&data);
    stop_leftover(&location).map_err(PostgresError::from)?;
    let before = Before::set_aside(&location)?;
    if let Err(error) = make(&setup, &options, ui).await {
        before.put_back()?;
        ui.note("The database is as it was.");
        return Err(error);
    }
    before.delete()?;
    ui.note("The database is empty but for migrations and seed.");
    Ok(())
}

async fn make(setup: &Setup, options: &OpenOptions<'_>, ui: Ui) -> Result<(), CliError> {
    let postgres = migrate::open(setup, options, ui).await?;
    Ok(postgres.stop().await?)
}

/// The database as it was, until a new one stands in its place.
struct Before<'a> {
    location: &'a Path,
    aside: PathBuf,
}

impl<'a> Before<'a> {
    fn set_aside(location: &'a Path) -> Result<Self, CliError> {
        let aside = location.with_added_extension("before-reset");
        // Of a reset that was interrupted: what came after it is the database now.
        remove(&aside)?;
        if location.exists() {
            fs::rename(location, &aside).map_err(failed(location))?;
            // A link to the folder keeps a place to lead to.
            fs::create_dir(location).map_err(failed(location))?;
        }
        Ok(Self { location, aside })
    }

    fn put_back(&self) -> Result<(), CliError> {
        stop_leftover(self.location).map_err(PostgresError::from)?;
        remove(self.location)?;
        if self.aside.exists() {
            fs::rename(&self.aside, self.location).map_err(failed(&self.aside))?;
        }
        Ok(())
    }

    fn delete(&self) -> Result<(), CliError> {
        remove(&self.aside)
    }
}

fn remove(folder: &Path) -> Result<(), CliError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(folder)(error)),
        _ => Ok(()),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CliError {
    let path = path.to_owned();
    move |source| CliError::Folder { path, source }
}
