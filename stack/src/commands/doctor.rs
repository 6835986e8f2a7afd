//! `wildfire doctor`: looks at everything a start needs, starts nothing, and says
//! what to do about each finding.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use platform::clock::Clock;
use platform::cluster::{Binaries, FindOptions, data_dir_location, data_dir_major};
use platform::env::{Reader, Vars};

use super::setup::{Setup, database_url, shown, wrong_clock};
use super::status::Addresses;
use super::{CliError, Wanted, start};
use crate::lifecycle::{LifecycleError, State, refuse_if_taken, running};
use crate::postgres::{self, accepts_writes};
use crate::serve::{self, Listeners, Mode, PortName, Ports};
use crate::ui::{Mark, Ui};

/// What a server may take to say that it works, however busy it is: as long as a request may.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Bytes that a new database and its first day take: what Postgres makes at first is 40 MB.
const ROOM_FOR_A_DATABASE: u64 = 200 << 20;

/// Bytes below which nobody works for long.
const LEAST_ROOM: u64 = 16 << 20;

struct Report {
    ui: Ui,
    failed: usize,
}

impl Report {
    fn good(&self, what: &str) {
        self.ui.check(Mark::Good, what, None);
    }

    fn note(&self, what: &str, advice: &str) {
        self.ui.check(Mark::Note, what, Some(advice));
    }

    fn bad(&mut self, what: &str, advice: &str) {
        self.failed += 1;
        self.ui.check(Mark::Bad, what, Some(advice));
    }
}

/// Runs all checks; fails if one does.
pub(super) async fn run(wanted: &Wanted, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let mut report = Report { ui, failed: 0 };
    let setup = Setup::load(&wanted.folders, vars)?;
    check_project(&report, &setup);
    let state = running(&setup.data_dir)?;
    let state = state.as_ref();
    check_postgres(&mut report, &setup, wanted, state, vars).await;
    let is_to_be_made = database_url(wanted.db_url.as_deref(), vars).is_none()
        && !postgres::data_dir(&setup.data_dir).exists();
    let least = if is_to_be_made {
        ROOM_FOR_A_DATABASE
    } else {
        LEAST_ROOM
    };
    check_data_dir(&mut report, &setup, least);
    check_ports(&mut report, &setup, wanted, state, vars);
    check_keys(&mut report, &setup, vars);
    check_settings(&mut report, &setup, wanted, vars);
    check_clock(&mut report);
    match report.failed {
        0 => Ok(()),
        failed => Err(CliError::Unhealthy { failed }),
    }
}

fn check_project(report: &Report, setup: &Setup) {
    let folder = shown(&setup.workdir.supabase);
    if setup.workdir.supabase.join("config.toml").is_file() {
        report.good(&format!("project {} in {folder}", setup.project.id));
    } else {
        let advice = "defaults are used; `--workdir DIR` names another project folder";
        report.note(&format!("no {folder}/config.toml"), advice);
    }
    for warning in &setup.project.warnings {
        report.note("supabase/config.toml", &warning.to_string());
    }
}

/// The database that is in use, or what one would be started with.
async fn check_postgres(
    report: &mut Report,
    setup: &Setup,
    wanted: &Wanted,
    state: Option<&State>,
    vars: &Vars,
) {
    if let Some(url) = database_url(wanted.db_url.as_deref(), vars) {
        return check_answers(report, "the database that is named", &url).await;
    }
    if let Some(state) = state
        && let Ok(secrets) = setup.secrets(vars)
    {
        let url = Addresses::database_url(state, &secrets);
        check_answers(report, "the running database", &url).await;
    }
    let location = data_dir_location(&postgres::data_dir(&setup.data_dir));
    let reader = Reader::new(vars);
    let options = FindOptions::from_env(&reader, Some(&setup.workdir.root))
        .for_major(data_dir_major(&location));
    match Binaries::find(&options) {
        Ok(found) => {
            report.good(&format!(
                "Postgres {} in {}",
                found.version(),
                found.bin().display()
            ));
            if let Some(major) = data_dir_major(&location)
                && major != found.major()
            {
                let advice =
                    format!("install Postgres {major} and set WILDFIRE_PG_BIN to its bin folder");
                report.bad(&format!("the data is of Postgres {major}"), &advice);
            }
        }
        Err(error) => report.bad("no Postgres", &error.to_string()),
    }
}

async fn check_answers(report: &mut Report, what: &str, url: &str) {
    match accepts_writes(url, ANSWERS_WITHIN).await {
        Ok(Some(true)) => report.good(&format!("{what} answers and can store changes")),
        Ok(Some(false)) => report.bad(
            &format!("{what} answers and stores no changes"),
            "free some disk space there, or name a server that is no standby",
        ),
        Ok(None) => report.bad(
            &format!(
                "{what} does not answer within {} s",
                ANSWERS_WITHIN.as_secs()
            ),
            "look what keeps that server busy, and whether a firewall is in between",
        ),
        Err(error) => report.bad(&format!("{what} does not answer"), &error.to_string()),
    }
}

/// Whether the data folder, or what it will be made in, can be written; nothing is.
fn check_data_dir(report: &mut Report, setup: &Setup, least: u64) {
    let folder = shown(&setup.data_dir);
    let there = setup.data_dir.ancestors().find(|folder| folder.exists());
    let there = there.unwrap_or(Path::new("/"));
    if let Err(error @ (LifecycleError::StrangeFolder { .. } | LifecycleError::NoFolder { .. })) =
        refuse_if_taken(&setup.data_dir)
    {
        return report.bad(&format!("data folder {folder}"), &error.to_string());
    }
    match room(there) {
        Ok(left) if left >= least && there == setup.data_dir => {
            report.good(&format!("data folder {folder} can be written"));
        }
        Ok(left) if left >= least => report.good(&format!("data folder {folder} can be made")),
        Ok(left) => report.bad(
            &format!("data folder {folder}: {} MB are left there", left >> 20),
            "free some disk space, or choose another folder with --data-dir",
        ),
        Err(error) => report.bad(
            &format!("data folder {folder}: {}: {error}", shown(there)),
            "let this account write there, or choose another folder with --data-dir",
        ),
    }
}

/// Bytes that this account may still write into the folder.
fn room(folder: &Path) -> std::io::Result<u64> {
    rustix::fs::access(
        folder,
        rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
    )?;
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn check_ports(
    report: &mut Report,
    setup: &Setup,
    wanted: &Wanted,
    state: Option<&State>,
    vars: &Vars,
) {
    if let Some(state) = state {
        report.good(&format!(
            "Wildfire is running at {} and has its ports",
            state.api_url
        ));
        return;
    }
    if let Err(error) = wanted.refuse_one_port_twice(setup, vars) {
        return report.bad("ports", &error.to_string());
    }
    for (host, port, PortName { name, option, .. }) in wanted.opened(setup, vars) {
        match TcpListener::bind((host, port)) {
            Ok(_) => report.good(&format!("port {port} ({name}) is free")),
            Err(error) => {
                let advice = format!("stop what uses it, or start with {option} and another port");
                report.bad(&format!("port {port} ({name}): {error}"), &advice);
            }
        }
    }
}

fn check_keys(report: &mut Report, setup: &Setup, vars: &Vars) {
    let stored = setup.data_dir.join(crate::secrets::FILE);
    match setup.secrets(vars) {
        Err(error) => report.bad("keys", &error.to_string()),
        Ok(_) if setup.mode == Mode::Development => report.note(
            "demo keys, known to everybody",
            "right for this machine; WILDFIRE_ENV=production makes its own",
        ),
        Ok(_) if !stored.exists() => {
            report.note("no secrets yet", "the first start generates them");
        }
        Ok(_) => check_mode(report, &stored),
    }
}

fn check_mode(report: &mut Report, stored: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(stored).map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode % 0o100 == 0) {
        report.good("keys");
    } else {
        let advice = format!("run `chmod 600 {}`", shown(stored));
        report.bad(
            "other accounts of this machine can read the secrets",
            &advice,
        );
    }
}

/// Everything a start reads, with ports that nobody uses.
fn check_settings(report: &mut Report, setup: &Setup, wanted: &Wanted, vars: &Vars) {
    let Ok(secrets) = setup.secrets(vars) else {
        return; // Said where keys are looked at.
    };
    let wanted = wanted.ports(setup);
    let free = Ports {
        api: 0,
        app: wanted.app.map(|_| 0),
        mail: wanted.mail.map(|_| 0),
    };
    let prepared = Listeners::bind(setup.host, &free)
        .map_err(CliError::from)
        .and_then(|ports| {
            Ok(serve::prepare(start::context(
                setup, &secrets, ports, vars,
            ))?)
        });
    match prepared {
        Err(error) => report.bad("settings", &error.to_string()),
        Ok(prepared) => match prepared.mail_server {
            Some(host) => report.good(&format!("mail goes to {host}")),
            None => report.good("mail goes to the mailbox"),
        },
    }
}

fn check_clock(report: &mut Report) {
    let clock = Clock::system();
    match wrong_clock(&clock) {
        Some(what) => report.bad(&what, "set the clock: tokens depend on it"),
        None => report.good(&format!("the clock says {:.0}", clock.now())),
    }
}
