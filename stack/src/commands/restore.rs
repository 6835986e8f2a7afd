//! `wildfire restore`: what `wildfire backup` wrote, in a new folder or in the place of what is there.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use platform::clock::Clock;
use platform::cluster::{data_dir_location, stop_leftover};
use platform::env::{Secret, Vars};

use super::backup::{blocking, size, watched};
use super::passphrase::Passphrase;
use super::setup::{Setup, database_url, shown};
use super::{CliError, Folders};
use crate::backup::{self, BackupError, Manifest, Progress};
use crate::lifecycle::{Instance, Signals, is_half_restored, refuse_if_taken, running};
use crate::postgres::{self, PostgresError};
use crate::ui::Ui;

/// Options of `wildfire restore`.
#[derive(Clone, Debug, Args)]
pub(super) struct RestoreOptions {
    /// The archive that `wildfire backup` wrote
    file: PathBuf,
    #[command(flatten)]
    folders: Folders,
    /// Do not ask before data that is there is set aside
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    passphrase: Passphrase,
}

/// Reads the whole archive, asks, unpacks it beside what is there and changes places.
pub(super) async fn run(options: &RestoreOptions, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(&options.folders, vars)?;
    if database_url(None, vars).is_some() {
        return Err(CliError::RestoreNotEmbedded);
    }
    if running(&setup.data_dir)?.is_some() {
        return Err(CliError::StopFirst);
    }
    if is_half_restored(&setup.data_dir) {
        return finish_earlier(options, &setup, ui);
    }
    refuse_if_taken(&setup.data_dir)?;
    backup::refuse_other_account(&setup.data_dir)?;
    let passphrase = passphrase(options, ui, vars)?;
    let mut signals = Signals::listen().map_err(CliError::Signals)?;
    let manifest = verify(options, passphrase.clone(), &mut signals, ui).await?;
    // No secrets are read: broken ones may be why somebody restores.
    postgres::check_major(&setup.workdir.root, vars, manifest.postgres_major)?;
    backup::refuse_too_large(&manifest, &setup.data_dir)?;
    let place = shown(&setup.data_dir);
    let question = format!("Set aside what is in {place} and put the backup there?");
    if !options.yes && backup::has_content(&setup.data_dir)? && !ui.confirm(&question) {
        return Err(CliError::RestoreNotConfirmed);
    }
    setup.create_data_dir()?;
    let _instance = Instance::acquire(&setup.data_dir)?;
    let location = data_dir_location(&postgres::data_dir(&setup.data_dir));
    stop_leftover(&location).map_err(PostgresError::from)?;
    unpack(options, passphrase, manifest, &setup, (&mut signals, ui)).await
}

/// Tells what it is that will be restored.
async fn verify(
    options: &RestoreOptions,
    passphrase: Option<Secret<String>>,
    signals: &mut Signals,
    ui: Ui,
) -> Result<Manifest, CliError> {
    let started = Instant::now();
    let (file, progress) = (options.file.clone(), Progress::default());
    let shared = progress.clone();
    let work = blocking(move || backup::verify(&file, passphrase.as_ref(), &shared));
    let manifest = watched(work, &progress, signals, ui).await?;
    ui.done(
        &format!(
            "{} is whole: {} in {} files, of {:.0}, by Wildfire {}",
            shown(&options.file),
            size(manifest.size()),
            manifest.files(),
            manifest.taken_at,
            manifest.version
        ),
        started,
    );
    Ok(manifest)
}

async fn unpack(
    options: &RestoreOptions,
    passphrase: Option<Secret<String>>,
    manifest: Manifest,
    setup: &Setup,
    (signals, ui): (&mut Signals, Ui),
) -> Result<(), CliError> {
    let started = Instant::now();
    let (file, data_dir) = (options.file.clone(), setup.data_dir.clone());
    let (progress, now) = (Progress::default(), Clock::system().now());
    let shared = progress.clone();
    let work = blocking(move || {
        let watch = (&shared, now);
        backup::restore(&file, passphrase.as_ref(), &manifest, &data_dir, watch)
    });
    let aside = watched(work, &progress, signals, ui).await?;
    ui.done(
        &format!("Restored into {}", shown(&setup.data_dir)),
        started,
    );
    if let Some(aside) = aside {
        ui.note(&format!(
            "What was there before is in {}",
            whereabouts(&aside)
        ));
    }
    ui.note("Start it with `wildfire start`, with the environment and the supabase folder it had.");
    Ok(())
}

/// Where former data is, and its database if that is elsewhere.
fn whereabouts(aside: &Path) -> String {
    let database = std::fs::read_link(postgres::data_dir(aside));
    let aside = shown(aside);
    match database {
        Ok(database) => format!("{aside}, its database in {}", database.display()),
        Err(_) => aside,
    }
}

/// What is left are renames: they take no archive, no passphrase and no room.
fn finish_earlier(options: &RestoreOptions, setup: &Setup, ui: Ui) -> Result<(), CliError> {
    let started = Instant::now();
    let _instance = Instance::acquire(&setup.data_dir)?;
    let aside = backup::settle(&setup.data_dir, Clock::system().now())?;
    ui.done(
        "An earlier restore was broken off when all was unpacked; it is finished now",
        started,
    );
    if let Some(aside) = aside {
        let aside = whereabouts(&aside);
        ui.note(&format!("What was there before that is in {aside}"));
    }
    let file = shown(&options.file);
    ui.note(&format!(
        "{file} was not read. Start Wildfire with `wildfire start`, or run this again for {file}."
    ));
    Ok(())
}

fn passphrase(
    options: &RestoreOptions,
    ui: Ui,
    vars: &Vars,
) -> Result<Option<Secret<String>>, CliError> {
    let given = options.passphrase.given(vars)?;
    if given.is_some() || !backup::is_encrypted(&options.file)? {
        return Ok(given);
    }
    let asked = ui.ask_secret("The passphrase of the backup");
    let encrypted = || BackupError::Encrypted(options.file.clone());
    Ok(Some(asked.ok_or_else(encrypted)?))
}
