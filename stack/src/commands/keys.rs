//! `wildfire keys generate`.

use platform::clock::Clock;

use super::CliError;
use crate::secrets::Stored;
use crate::ui::Ui;

/// Prints a new set; nothing is stored and nothing running changes.
pub(super) fn generate(ui: Ui) -> Result<(), CliError> {
    let stored = Stored::generate(&Clock::system())?;
    for (name, value) in stored.lines() {
        // Single quotes: the JSON of JWT_KEYS has double ones.
        ui.result(&format!("{name}='{value}'"));
    }
    Ok(())
}
