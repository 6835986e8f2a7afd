//! `wildfire db reset`: an empty database, migrated and seeded again.

use std::fs;
use std::path::Path;

use platform::cluster::{data_dir_location, stop_leftover};
use platform::env::Vars;

use super::setup::{Setup, database_url, shown};
use super::{CliError, Folders, migrate};
use crate::lifecycle::running;
use crate::postgres::{self, PostgresError};
use crate::ui::Ui;

/// Asks, deletes, migrates, seeds.
pub(super) async fn run(folders: &Folders, yes: bool, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(folders, vars)?;
    if database_url(None, vars).is_some() {
        return Err(CliError::NotEmbedded);
    }
    if running(&setup.data_dir)?.is_some() {
        return Err(CliError::StopFirst);
    }
    let data = postgres::data_dir(&setup.data_dir);
    let question = format!("Delete all data in {}?", shown(&data));
    if !yes && data.exists() && !ui.confirm(&question) {
        return Err(CliError::NotConfirmed);
    }
    let secrets = setup.secrets(vars)?;
    let _instance = setup.claim(&secrets)?;
    let location = data_dir_location(&data);
    stop_leftover(&location).map_err(PostgresError::from)?;
    delete(&location)?;
    let options = migrate::open_options(&setup, &secrets, None, 0, vars);
    let postgres = migrate::open(&setup, &options, ui).await?;
    postgres.stop().await?;
    ui.note("The database is empty but for migrations and seed.");
    Ok(())
}

/// Moved aside first, so that an interrupted deletion leaves no half folder that
/// looks like a whole one.
fn delete(folder: &Path) -> Result<(), CliError> {
    let failed = |source| CliError::Folder {
        path: folder.to_owned(),
        source,
    };
    if !folder.exists() {
        return Ok(());
    }
    let aside = folder.with_added_extension("deleted");
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(failed)?;
    }
    fs::rename(folder, &aside).map_err(failed)?;
    fs::remove_dir_all(&aside).map_err(failed)
}
