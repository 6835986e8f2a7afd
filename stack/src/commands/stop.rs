//! `wildfire stop`.

use std::time::{Duration, Instant};

use super::{CliError, Folders};
use crate::lifecycle;
use crate::ui::Ui;

/// Open requests get half a minute, Postgres as much again.
const PATIENCE: Duration = Duration::from_secs(70);

/// Stops what runs with the data folder and waits until it is gone.
pub(super) fn run(folders: &Folders, ui: Ui) -> Result<(), CliError> {
    let (_, data_dir) = folders.locate()?;
    let started = Instant::now();
    let state = lifecycle::stop(&data_dir, PATIENCE)?;
    ui.done(&format!("Stopped Wildfire at {}", state.api_url), started);
    Ok(())
}
