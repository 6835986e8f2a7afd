//! The passphrase of a backup: never an argument, which every account of the machine could read.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use clap::Args;
use platform::env::{Secret, Vars};

use super::CliError;
use crate::backup::BackupError;
use crate::ui::Ui;

/// Longest passphrase in a file, bytes.
const LONGEST: usize = 4096;

/// Where a passphrase comes from.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Passphrase {
    /// A file that holds the passphrase of the archive in its first line [default: the passphrase
    /// that the variable `WILDFIRE_BACKUP_PASSPHRASE` holds itself]
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
            return of_variable(vars);
        };
        let failed = |source| CliError::Folder {
            path: path.clone(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let mut line = Vec::new();
        let read = BufReader::new(file)
            .take(LONGEST as u64 + 1)
            .read_until(b'\n', &mut line);
        read.map_err(failed)?;
        let path = path.display();
        if line.len() > LONGEST {
            return Err(none(format!(
                "The first line of {path} is longer than {LONGEST} bytes. Write a shorter passphrase there."
            )));
        }
        let line = String::from_utf8(line)
            .map_err(|_| none(format!("The first line of {path} is not text in UTF-8.")))?;
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Err(none(format!(
                "The file {path} holds no passphrase in its first line."
            )));
        }
        Ok(Some(Secret::from(line)))
    }
}

/// One that is set to nothing was meant to encrypt.
fn of_variable(vars: &Vars) -> Result<Option<Secret<String>>, CliError> {
    let name = "WILDFIRE_BACKUP_PASSPHRASE";
    if vars.empty().contains(&name) {
        return Err(none(format!(
            "{name} is set to nothing. Put a passphrase there, or unset it for an archive without."
        )));
    }
    Ok(vars.get(name).map(Secret::from))
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
