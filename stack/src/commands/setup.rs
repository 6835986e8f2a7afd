//! What every command needs to know first: the project, the data folder, the mode.

use std::env;
use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use platform::clock::Clock;
use platform::env::Vars;
use platform::service::Definition;
use url::{Host, Url};

use super::CliError;
use crate::config_toml::{self, Project};
use crate::lifecycle::{Instance, State, running};
use crate::secrets::{FILE, Secrets, Sources};
use crate::serve::Mode;
use crate::services;
use crate::ui::{CALLED_AS, Ui};
use crate::workdir::Workdir;

/// Where the project and its data are.
#[derive(Clone, Debug, Default, Args)]
pub struct Folders {
    /// The project: the folder that holds supabase/ [default: the nearest one at or above the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    pub workdir: Option<PathBuf>,
    /// Where data is kept [default: <workdir>/.wildfire]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// An installation, before anything runs.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) mode: Mode,
    pub(super) workdir: Workdir,
    pub(super) data_dir: PathBuf,
    pub(super) project: Arc<Project>,
    pub(super) public_url: Option<String>,
    pub(super) host: IpAddr,
    /// What is served, and whose tables are made.
    pub(super) services: Vec<&'static Definition>,
}

impl Folders {
    /// The project folder and the data folder, absolute.
    pub(super) fn locate(&self) -> Result<(Workdir, PathBuf), CliError> {
        let failed = |source| CliError::Folder {
            path: PathBuf::from("."),
            source,
        };
        let current = env::current_dir().map_err(failed)?;
        let workdir = Workdir::locate(self.workdir.as_deref(), &current)?;
        let data_dir = match &self.data_dir {
            Some(folder) => current.join(folder),
            None => workdir.root.join(".wildfire"),
        };
        Ok((workdir, data_dir))
    }
}

impl Setup {
    /// Reads everything there is to read.
    pub(super) fn load(folders: &Folders, vars: &Vars) -> Result<Self, CliError> {
        let (workdir, data_dir) = folders.locate()?;
        let mode = mode(vars)?;
        if vars.get("WILDFIRE_ENV").is_none() && data_dir.join(FILE).is_file() {
            return Err(CliError::ForgottenMode { data_dir });
        }
        let project = config_toml::load(&workdir.supabase, vars)?;
        let public_url = public_url(vars, &project)?;
        if mode == Mode::Production {
            check_public_url(public_url.as_deref(), vars)?;
        }
        let host = host(vars, mode)?;
        let services = services(wants_prompts(vars, &project)?);
        Ok(Self {
            mode,
            workdir,
            data_dir,
            project: Arc::new(project),
            public_url,
            host,
            services,
        })
    }

    /// Takes the data folder for this process and puts there what a start needs. Whatever can be
    /// refused has been looked at before. Another first start may have written down its secrets
    /// since; then those are the ones to use.
    pub(super) fn claim(
        &self,
        secrets: Secrets,
        vars: &Vars,
    ) -> Result<(Instance, Secrets), CliError> {
        self.create_data_dir()?;
        let instance = Instance::acquire(&self.data_dir)?;
        let secrets = if secrets.are_new() {
            self.secrets(vars)?.or_new(secrets)
        } else {
            secrets
        };
        secrets.keep(&self.data_dir)?;
        Ok((instance, secrets))
    }

    /// Makes the data folder. Nobody but its owner has business there, except that
    /// the account root's Postgres runs as has to pass through.
    pub(super) fn create_data_dir(&self) -> Result<(), CliError> {
        let path = &self.data_dir;
        let failed = |source| CliError::DataFolder {
            path: path.clone(),
            source,
        };
        if !path.is_dir() {
            fs::create_dir_all(path).map_err(failed)?;
            let mode = if rustix::process::geteuid().is_root() {
                0o711
            } else {
                0o700
            };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
        }
        // Whatever else is in such a folder has been looked at by now: it is ours, or empty.
        let ignore = path.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(failed)?;
        }
        Ok(())
    }

    /// Keys and passwords; new ones are on no disk before [`Self::claim`].
    pub(super) fn secrets(&self, vars: &Vars) -> Result<Secrets, CliError> {
        Ok(self.sources(vars, &Clock::system()).load()?)
    }

    /// The secrets that the data folder does not have, and where they are.
    pub(super) fn set_elsewhere(&self, vars: &Vars) -> Vec<String> {
        self.sources(vars, &Clock::system()).set_elsewhere()
    }

    fn sources<'a>(&'a self, vars: &'a Vars, clock: &'a Clock) -> Sources<'a> {
        Sources {
            mode: self.mode,
            data_dir: &self.data_dir,
            project: &self.project.keys,
            vars,
            clock,
        }
    }
}

/// This program was built in 2026; an earlier clock is wrong, and tokens fail.
const EARLIEST: i64 = 1_767_225_600;

/// What the clock says, if that cannot be.
pub(super) fn wrong_clock(clock: &Clock) -> Option<String> {
    let now = clock.now();
    (now.as_second() < EARLIEST).then(|| format!("the clock says {now:.0}"))
}

/// Every variable there is, as `cargo x docs` reads them from the code.
const VARIABLES: &str = include_str!("../../../docs/configuration.md");

/// Variables that begin as ours do and that nothing reads: misspelled, most likely.
fn unknown_variables(vars: &Vars) -> impl Iterator<Item = &str> {
    let is_unknown = |name: &&str| {
        name.starts_with("WILDFIRE_")
            && *name != CALLED_AS
            && !VARIABLES.contains(&format!("| `{name}` |"))
    };
    vars.iter().map(|(name, _)| name).filter(is_unknown)
}

/// Says which variables have no effect, to whoever meant one to.
pub(super) fn warn_of_variables(vars: &Vars, ui: Ui) {
    vars.warn_of_empty();
    for name in unknown_variables(vars) {
        ui.warn(&format!(
            "{name} is no variable of Wildfire and has no effect; docs/configuration.md lists them all"
        ));
    }
}

/// What runs with the data folder, if it can go on with what this version makes of the database.
pub(super) fn running_alike(data_dir: &Path) -> Result<Option<State>, CliError> {
    let own = env!("CARGO_PKG_VERSION");
    match running(data_dir)? {
        Some(State { version, .. }) if version != own => Err(CliError::OtherVersion {
            running: version,
            own,
        }),
        state => Ok(state),
    }
}

/// A server of one's own: the option, else the variable.
///
/// `DATABASE_URL` (default: none): use this Postgres instead of an embedded one.
pub(super) fn database_url(option: Option<&str>, vars: &Vars) -> Option<String> {
    option.or(vars.get("DATABASE_URL")).map(str::to_owned)
}

/// `WILDFIRE_ENV` (default `development`): `production` makes its own secrets, refuses demo keys and
/// default passwords and needs a public URL and a mail server.
fn mode(vars: &Vars) -> Result<Mode, CliError> {
    match vars.get("WILDFIRE_ENV").unwrap_or("development") {
        "development" => Ok(Mode::Development),
        "production" => Ok(Mode::Production),
        other => Err(CliError::Variable {
            name: "WILDFIRE_ENV",
            expected: "development or production",
            value: other.to_owned(),
        }),
    }
}

/// `SUPABASE_PUBLIC_URL` (required in production): the address users reach this installation at.
fn public_url(vars: &Vars, project: &Project) -> Result<Option<String>, CliError> {
    let set = vars.get("SUPABASE_PUBLIC_URL");
    let Some(value) = set.or(project.api.external_url.as_deref()) else {
        return Ok(None);
    };
    let is_address = Url::parse(value)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_address {
        Ok(Some(value.trim_end_matches('/').to_owned()))
    } else {
        Err(CliError::PublicUrl {
            value: value.to_owned(),
        })
    }
}

/// Production is reached over https, or from this machine only: whoever listens on the way could
/// take every session with them.
///
/// `WILDFIRE_ALLOW_HTTP_PUBLIC_URL` (default false): let production have a public address without
/// TLS, for a network nobody else listens in.
fn check_public_url(url: Option<&str>, vars: &Vars) -> Result<(), CliError> {
    let url = url.ok_or(CliError::NoPublicUrl)?;
    let name = "WILDFIRE_ALLOW_HTTP_PUBLIC_URL";
    if switch(name, vars.get(name), false)? || is_private_on_the_way(url) {
        return Ok(());
    }
    Err(CliError::HttpPublicUrl {
        value: url.to_owned(),
    })
}

/// `WILDFIRE_PROMPTS` (default true): whether the prompt platform is part of this installation. With
/// `false`, here or in an `.env` file of the project, neither its tables nor its API nor its app are
/// there; tables that an earlier start made stay and are not served.
fn wants_prompts(vars: &Vars, project: &Project) -> Result<bool, CliError> {
    let name = "WILDFIRE_PROMPTS";
    let value = vars.get(name);
    switch(
        name,
        value.or(project.dotenv.get(name).map(String::as_str)),
        true,
    )
}

fn switch(name: &'static str, value: Option<&str>, default: bool) -> Result<bool, CliError> {
    match value {
        None | Some("") => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(value) => Err(CliError::Variable {
            name,
            expected: "true or false",
            value: value.to_owned(),
        }),
    }
}

/// Whether what goes to this address is encrypted or does not leave the machine.
fn is_private_on_the_way(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    let is_own = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    is_own || url.scheme() == "https"
}

/// `WILDFIRE_HOST` (default `127.0.0.1`): the address to listen on; development stays on loopback.
fn host(vars: &Vars, mode: Mode) -> Result<IpAddr, CliError> {
    let value = vars.get("WILDFIRE_HOST").unwrap_or("127.0.0.1");
    let host: IpAddr = value.parse().map_err(|_| CliError::Variable {
        name: "WILDFIRE_HOST",
        expected: "an IP address to listen on",
        value: value.to_owned(),
    })?;
    if mode == Mode::Development && !host.is_loopback() {
        return Err(CliError::NotLoopback {
            host: value.to_owned(),
        });
    }
    Ok(host)
}

/// `path` as people write it: relative to where they are, when it is below.
pub(super) fn shown(path: &Path) -> String {
    let current = env::current_dir().unwrap_or_default();
    path.strip_prefix(&current)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_first_starts_the_second_takes_the_secrets_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders {
            workdir: Some(folder.path().to_owned()),
            data_dir: None,
        };
        let vars = Vars::from([
            ("WILDFIRE_ENV", "production"),
            ("SUPABASE_PUBLIC_URL", "https://prompts.example.com"),
        ]);
        let setup = Setup::load(&folders, &vars).unwrap();
        let [first, second] = [(), ()].map(|()| setup.secrets(&vars).unwrap());
        assert_ne!(first.api.anon, second.api.anon);
        let (instance, kept) = setup.claim(first.clone(), &vars).unwrap();
        drop(instance);
        assert!(kept.are_new());
        assert_eq!(kept.api.anon, first.api.anon);
        let (_instance, kept) = setup.claim(second, &vars).unwrap();
        assert!(!kept.are_new());
        assert_eq!(kept.api.anon, first.api.anon);
    }

    #[test]
    fn production_is_reached_over_https_or_from_this_machine() {
        let allow = [("WILDFIRE_ALLOW_HTTP_PUBLIC_URL", "true")];
        let none: [(&str, &str); 0] = [];
        let check = |url, vars: &[(&str, &str)]| {
            check_public_url(Some(url), &vars.iter().copied().collect())
        };
        for url in [
            "https://prompts.example.com",
            "HTTPS://prompts.example.com",
            "http://127.0.0.1:8080",
            "http://127.8.9.1",
            "http://[::1]:8080",
            "http://localhost:8080",
            "http://a.localhost",
        ] {
            check(url, &none).unwrap();
        }
        for url in [
            "http://prompts.example.com",
            "http://10.0.0.1",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "HTTP://prompts.example.com",
        ] {
            let error = check(url, &none).unwrap_err().to_string();
            assert!(error.contains("WILDFIRE_ALLOW_HTTP_PUBLIC_URL"), "{error}");
            check(url, &allow).unwrap();
        }
        assert!(check_public_url(None, &Vars::default()).is_err());
        let odd = [("WILDFIRE_ALLOW_HTTP_PUBLIC_URL", "maybe")];
        assert!(check("http://10.0.0.1", &odd).is_err());
    }

    #[test]
    fn a_clock_of_before_this_program_is_wrong() {
        let at = |second| Clock::fixed(jiff::Timestamp::from_second(second).unwrap());
        assert_eq!(wrong_clock(&at(EARLIEST)), None);
        let said = wrong_clock(&at(0)).unwrap();
        assert_eq!(said, "the clock says 1970-01-01T00:00:00Z");
    }
}
