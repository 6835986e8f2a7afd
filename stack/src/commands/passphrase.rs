//! The passphrase of a backup: never an argument, which every account of the machine could read.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use platform::env::{Secret, Vars};

use super::CliError;
use crate::backup::BackupError;
use crate::ui::Ui;

/// Longest passphrase in a file, bytes.
const LONGEST: u64 = 4096;

/// Where a passphrase comes from.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Passphrase {
    /// A file that holds the passphrase of the archive [env: `WILDFIRE_BACKUP_PASSPHRASE`]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Passphrase {
    /// The file's, else the variable's.
    ///
    /// `WILDFIRE_BACKUP_PASSPHRASE` (default: none): encrypts what `wildfire backup` writes, and opens it
    /// for `wildfire restore`.
    pub(super) fn given(&self, vars: &Vars) -> Result<Option<Secret<String>>, CliError> {
        let Some(path) = &self.passphrase_file else {
            return Ok(vars.get("WILDFIRE_BACKUP_PASSPHRASE").map(Secret::from));
        };
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
        read.map_err(|source| CliError::Folder {
            path: path.clone(),
            source,
        })?;
        let line = text.lines().next().unwrap_or_default();
        if line.is_empty() {
            let path = path.display();
            return Err(none(format!(
                "The file {path} holds no passphrase in its first line."
            )));
        }
        Ok(Some(Secret::from(line)))
    }
}

/// Asks for a new one, twice.
pub(super) fn ask_new(ui: Ui) -> Result<Secret<String>, CliError> {
    let question = "A passphrase for the backup";
    let first = ui
        .ask_secret(question)
        .filter(|first| !first.expose().is_empty());
    let first = first.ok_or_else(|| {
        none(
            "There is no passphrase. Type one on a terminal, or set WILDFIRE_BACKUP_PASSPHRASE, or name \
             a file with --passphrase-file."
                .to_owned(),
        )
    })?;
    match ui.ask_secret("The same again") {
        Some(second) if second.expose() == first.expose() => Ok(first),
        _ => Err(none(
            "The two are not the same. Nothing was written.".to_owned(),
        )),
    }
}

fn none(text: String) -> CliError {
    BackupError::Passphrase(text).into()
}
