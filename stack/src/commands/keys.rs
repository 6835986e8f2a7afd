//! `wildfire keys generate` and `wildfire keys rotate`.

use clap::Args;
use platform::clock::Clock;
use platform::env::Vars;

use super::setup::Setup;
use super::{CliError, Folders};
use crate::lifecycle::running;
use crate::secrets::{SecretsError, Stored};
use crate::ui::Ui;

/// What `wildfire keys rotate` is asked for.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RotateOptions {
    #[command(flatten)]
    folders: Folders,
    /// Forget the keys of before at once: whoever is signed in has to refresh or sign in again
    #[arg(long)]
    forget: bool,
}

/// Prints a new set; nothing is stored and nothing running changes.
pub(super) fn generate(ui: Ui) -> Result<(), CliError> {
    let stored = Stored::generate(&Clock::system())?;
    for (name, value) in stored.lines() {
        // Single quotes: the JSON of JWT_KEYS has double ones.
        ui.result(&format!("{name}='{value}'"));
    }
    Ok(())
}

/// Makes a new key to sign tokens with; it is used from the next start on.
pub(super) fn rotate(options: &RotateOptions, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(&options.folders, vars)?;
    let data_dir = setup.data_dir;
    if vars.get("JWT_KEYS").is_some() || setup.project.keys.signing_keys_json.is_some() {
        return Err(SecretsError::KeysElsewhere.into());
    }
    let Some(kept) = Stored::rotate_kept(&data_dir, options.forget)? else {
        return Err(SecretsError::NothingStored { data_dir }.into());
    };
    ui.note("A new key signs tokens from the next start on.");
    ui.note(if kept == 0 {
        "Tokens signed before are refused from then on; sessions go on by refreshing."
    } else {
        "Tokens signed before stay valid until they expire: their keys go on verifying."
    });
    if running(&data_dir)?.is_some() {
        ui.note("Wildfire is running: stop and start it.");
    }
    Ok(())
}
