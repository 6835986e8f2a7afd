//! `wildfire migrate`: everything `start` does to the database, and nothing else.

use std::time::Instant;

use clap::Args;
use platform::env::Vars;

use super::setup::{Setup, database_url, running_alike};
use super::{CliError, Folders};
use crate::lifecycle::{State, refuse_if_taken};
use crate::postgres::{OpenOptions, Postgres, connect};
use crate::secrets::Secrets;
use crate::ui::Ui;

/// Options of `wildfire migrate`.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct MigrateOptions {
    #[command(flatten)]
    pub(super) folders: Folders,
    /// Use this database instead of the embedded one [env: `DATABASE_URL`]
    #[arg(long, value_name = "URL")]
    pub(super) db_url: Option<String>,
}

/// Migrates and stops again.
pub(super) async fn run(options: &MigrateOptions, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(&options.folders, vars)?;
    let url = database_url(options.db_url.as_deref(), vars);
    if let Some(state) = running_alike(&setup.data_dir)? {
        return beside(&setup, &state, url, ui, vars).await;
    }
    refuse_if_taken(&setup.data_dir)?;
    let secrets = setup.secrets(vars)?;
    Postgres::check(&open_options(&setup, &secrets, url.as_deref(), 0, vars))?;
    let (_instance, secrets) = setup.claim(secrets, vars)?;
    let options = open_options(&setup, &secrets, url.as_deref(), 0, vars);
    let postgres = open(&setup, &options, ui).await?;
    postgres.stop().await?;
    ui.note("The database is up to date.");
    Ok(())
}

/// Migrates the database of an installation that runs, which goes on running.
async fn beside(
    setup: &Setup,
    state: &State,
    url: Option<String>,
    ui: Ui,
    vars: &Vars,
) -> Result<(), CliError> {
    let secrets = setup.secrets(vars)?;
    let url = url.or_else(|| state.db_url.clone());
    let options = OpenOptions {
        running: state.db_port,
        ..open_options(setup, &secrets, url.as_deref(), 0, vars)
    };
    open(setup, &options, ui).await?;
    ui.note("The database is up to date; Wildfire goes on running with it.");
    Ok(())
}

/// The database of this installation, or the one at `url`.
pub(super) fn open_options<'a>(
    setup: &'a Setup,
    secrets: &'a Secrets,
    url: Option<&'a str>,
    port: u16,
    vars: &'a Vars,
) -> OpenOptions<'a> {
    OpenOptions {
        data_dir: &setup.data_dir,
        workdir: &setup.workdir.root,
        project: &setup.project,
        secrets,
        vars,
        port,
        running: None,
        url,
        services: &setup.services,
    }
}

/// Opens the database and applies the project, telling what happens.
pub(super) async fn open(
    setup: &Setup,
    options: &OpenOptions<'_>,
    ui: Ui,
) -> Result<Postgres, CliError> {
    let started = Instant::now();
    let postgres = Postgres::open(options).await?;
    let report = &postgres.report;
    if let Some(folder) = &report.moved_to {
        ui.note(&format!(
            "Postgres does not run as root, and the account it runs as may not enter {}; its data \
             is in {}",
            setup.data_dir.display(),
            folder.display()
        ));
    }
    let what = if report.initialised {
        "created and ready"
    } else {
        "ready"
    };
    ui.done(&format!("{} is {what}", report.server), started);
    if !report.applied.is_empty() && !report.initialised {
        ui.note(&format!("Applied {}", report.applied.join(", ")));
    }
    apply_project(setup, &postgres, ui).await?;
    Ok(postgres)
}

async fn apply_project(setup: &Setup, postgres: &Postgres, ui: Ui) -> Result<(), CliError> {
    let started = Instant::now();
    let owner = connect(postgres.owner_url())?;
    let applied = setup
        .workdir
        .apply(&setup.project, &owner, postgres.server())
        .await?;
    owner.close();
    for remark in &applied.remarks {
        ui.warn(remark);
    }
    if !applied.files.is_empty() {
        ui.done(&format!("Applied {}", applied.files.join(", ")), started);
    }
    Ok(())
}
