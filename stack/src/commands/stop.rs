//! `wildfire stop`.

use std::time::{Duration, Instant};

use platform::cluster::LONGEST_SHUTDOWN;
use platform::service::LONGEST_END;

use super::{CliError, Folders};
use crate::lifecycle;
use crate::ui::Ui;

/// What the services may take, and then Postgres.
const PATIENCE: Duration = LONGEST_END.saturating_add(LONGEST_SHUTDOWN);

/// Stops what runs with the data folder and waits until it is gone.
pub(super) fn run(folders: &Folders, ui: Ui) -> Result<(), CliError> {
    let (_, data_dir) = folders.locate()?;
    let started = Instant::now();
    let state = lifecycle::stop(&data_dir, PATIENCE)?;
    ui.done(&format!("Stopped Wildfire at {}", state.api_url), started);
    Ok(())
}
