//! `wildfire migrate`: everything `start` does to the database, and nothing else.

use std::time::Instant;

use clap::Args;
use platform::env::Vars;

use super::setup::{Setup, database_url};
use super::{CliError, Folders};
use crate::lifecycle::Instance;
use crate::postgres::{OpenOptions, Postgres, connect};
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
    setup.create_data_dir()?;
    let _instance = Instance::acquire(&setup.data_dir)?;
    let url = database_url(options.db_url.as_deref(), vars);
    let postgres = open(&setup, url.as_deref(), 0, ui, vars).await?;
    postgres.stop().await?;
    ui.note("The database is up to date.");
    Ok(())
}

/// Opens the database and applies the project, telling what happens.
pub(super) async fn open(
    setup: &Setup,
    url: Option<&str>,
    port: u16,
    ui: Ui,
    vars: &Vars,
) -> Result<Postgres, CliError> {
    let secrets = setup.secrets(vars)?;
    let started = Instant::now();
    let options = OpenOptions {
        data_dir: &setup.data_dir,
        workdir: &setup.workdir.root,
        project: &setup.project,
        secrets: &secrets,
        vars,
        port,
        url,
    };
    let postgres = Postgres::open(&options).await?;
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
    let applied = setup.workdir.apply(&setup.project, &owner).await?;
    owner.close();
    for remark in &applied.remarks {
        ui.warn(remark);
    }
    if !applied.files.is_empty() {
        ui.done(&format!("Applied {}", applied.files.join(", ")), started);
    }
    Ok(())
}
