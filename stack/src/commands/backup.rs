//! `wildfire backup`: a running or stopped installation in one file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use platform::clock::Clock;
use platform::env::{Secret, Vars};

use super::passphrase::{Passphrase, ask_new};
use super::setup::{Setup, database_url, shown, warn_of_variables};
use super::{CliError, Folders};
use crate::backup::{Backup, BackupError, Manifest, Progress, Wanted};
use crate::lifecycle::{Instance, Signals, refuse_if_taken, running};
use crate::postgres::{self, Copying, PostgresError};
use crate::ui::Ui;

/// How often somebody who watches is told how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(500);

/// What a step may take that somebody waits for who wants to stop.
const LAST_STEP: Duration = Duration::from_secs(2);

/// How long nothing may come of it: Postgres keeps its log meanwhile.
const LONGEST_STALL: Duration = Duration::from_mins(10);

/// Options of `wildfire backup`.
#[derive(Clone, Debug, Args)]
pub(super) struct BackupOptions {
    /// The archive to write, for its owner's eyes only; `-` is standard output
    file: PathBuf,
    #[command(flatten)]
    folders: Folders,
    /// Replace FILE if it is there, once the new one is complete
    #[arg(long)]
    overwrite: bool,
    /// Encrypt it with a passphrase that is asked for
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: Passphrase,
}

/// Writes the archive and says how to use it.
pub(super) async fn run(options: &BackupOptions, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let started = Instant::now();
    warn_of_variables(vars, ui);
    let setup = Setup::load(&options.folders, vars)?;
    let state = running(&setup.data_dir)?;
    let brought = match &state {
        Some(state) => state.db_url.clone(),
        None => database_url(None, vars),
    };
    let data_dir = setup.data_dir.clone();
    if brought.is_some() {
        return Err(CliError::BackupNotEmbedded { data_dir });
    }
    if state.is_none() {
        refuse_if_taken(&data_dir)?;
    }
    let major = postgres::major(&data_dir).ok_or(CliError::NoData { data_dir })?;
    let given = options.passphrase.given(vars)?;
    let passphrase = match given {
        None if options.encrypt => Some(ask_new(ui)?),
        given => given,
    };
    let progress = Progress::default();
    let wanted = Wanted {
        file: &options.file,
        overwrite: options.overwrite,
        passphrase: passphrase.as_ref(),
    };
    let mut signals = Signals::listen().map_err(CliError::Signals)?;
    let work = async {
        let begin = || Backup::create(&setup.data_dir, major, wanted, &progress);
        match state.and_then(|state| state.db_port) {
            Some(port) => copy_running(&setup, port, vars, begin).await,
            None => copy_stopped(&setup, begin).await,
        }
    };
    let manifest = watched(work, &progress, &mut signals, ui).await?;
    tell(&options.file, &manifest, passphrase.as_ref(), started, ui);
    for name in setup.set_elsewhere(vars) {
        ui.warn(&format!("{name} is not in the archive: keep it beside it."));
    }
    Ok(())
}

async fn copy_running(
    setup: &Setup,
    port: u16,
    vars: &Vars,
    begin: impl FnOnce() -> Result<Backup, BackupError>,
) -> Result<Manifest, CliError> {
    let secrets = setup.secrets(vars)?;
    let backup = begin()?;
    let failed = |error: PostgresError| CliError::from(BackupError::from(error));
    let copying = Copying::start(port, &secrets).await.map_err(failed)?;
    let backup = blocking(move || backup.copy_running()).await?;
    // What was acknowledged until now is in the archive.
    let now = Clock::system().now();
    let copied = copying.stop().await.map_err(failed)?;
    blocking(move || backup.complete(&copied, now)).await
}

async fn copy_stopped(
    setup: &Setup,
    begin: impl FnOnce() -> Result<Backup, BackupError>,
) -> Result<Manifest, CliError> {
    // Nothing starts meanwhile.
    let instance = Instance::acquire(&setup.data_dir)?;
    let location = platform::cluster::data_dir_location(&postgres::data_dir(&setup.data_dir));
    platform::cluster::stop_leftover(&location).map_err(PostgresError::from)?;
    let backup = begin()?;
    let now = Clock::system().now();
    let copied = blocking(move || backup.copy_stopped(now)).await;
    drop(instance);
    copied
}

/// Waits for work and tells how far it is; Ctrl-C ends it at its next step, unless only the disk is
/// waited for. So does a long time in which nothing moves.
pub(super) async fn watched<T>(
    work: impl Future<Output = Result<T, CliError>>,
    progress: &Progress,
    signals: &mut Signals,
    ui: Ui,
) -> Result<T, CliError> {
    tokio::pin!(work);
    let mut tick = tokio::time::interval(TOLD_EVERY);
    let mut pace = Pace {
        bytes: 0,
        since: Instant::now(),
    };
    loop {
        tokio::select! {
            result = &mut work => {
                ui.progress(None);
                return result;
            }
            () = signals.next() => {
                ui.progress(None);
                if !progress.stop() {
                    ui.note("All is read; it ends when the disk has it.");
                    return work.await;
                }
                let ended = tokio::time::timeout(LAST_STEP, &mut work).await;
                return ended.unwrap_or_else(|_| Err(BackupError::Abandoned.into()));
            }
            _ = tick.tick() => {
                let bytes = progress.bytes();
                ui.progress(Some(&format!("{} so far", size(bytes))));
                if pace.is_lost(bytes, Instant::now()) && progress.stop() {
                    ui.progress(None);
                    let minutes = LONGEST_STALL.as_secs() / 60;
                    return Err(BackupError::Stalled { minutes }.into());
                }
            }
        }
    }
}

/// Since when nothing moves.
struct Pace {
    bytes: u64,
    since: Instant,
}

impl Pace {
    fn is_lost(&mut self, bytes: u64, now: Instant) -> bool {
        if bytes != self.bytes {
            *self = Self { bytes, since: now };
        }
        now.duration_since(self.since) > LONGEST_STALL
    }
}

/// Runs what waits for files on a thread for that.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, CliError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => Ok(result?),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// A size as people read it.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn tell(
    file: &Path,
    manifest: &Manifest,
    passphrase: Option<&Secret<String>>,
    started: Instant,
    ui: Ui,
) {
    let content = format!("{} in {} files", size(manifest.size()), manifest.files());
    if file == Path::new("-") {
        ui.done(&format!("Backed up {content}"), started);
        return;
    }
    let name = shown(file);
    let written = file.metadata().map_or(0, |metadata| metadata.len());
    let sealed = if passphrase.is_some() {
        "encrypted"
    } else {
        "not encrypted"
    };
    ui.done(
        &format!(
            "Backed up {content} to {name} ({}, {sealed})",
            size(written)
        ),
        started,
    );
    ui.note(&format!(
        "Restore it into a new folder with `wildfire restore {name} --data-dir DIR`"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_move_for_long_is_given_up() {
        let since = Instant::now();
        let mut pace = Pace { bytes: 0, since };
        let after = |minutes| since + Duration::from_mins(minutes);
        assert!(!pace.is_lost(0, after(10)));
        assert!(!pace.is_lost(1, after(11)));
        assert!(!pace.is_lost(1, after(21)));
        assert!(pace.is_lost(1, after(22)));
    }
}
