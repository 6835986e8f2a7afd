//! `wildfire start`: everything, until Ctrl-C.

use std::env;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use platform::clock::Clock;
use platform::env::Vars;

use super::db_reset;
use super::migrate::{self, open_options};
use super::setup::{Setup, database_url, shown, warn_of_variables, wrong_clock};
use super::status::Addresses;
use super::{CliError, Folders};
use crate::has_prompts;
use crate::lifecycle::{
    Instance, LOG_FILE, Signals, State, become_detached, refuse_if_taken, start_detached,
};
use crate::postgres::Postgres;
use crate::secrets::{FILE, Secrets};
use crate::serve::{
    self, APP_PORT, Listeners, Mode, PortName, Ports, Prepared, ProjectKeys, Running, ServeContext,
};
use crate::ui::Ui;

/// What a start is asked for; `wildfire doctor` looks at the same.
#[derive(Clone, Debug, Default, Args)]
pub struct Wanted {
    #[command(flatten)]
    pub(super) folders: Folders,
    /// Port of the API [default: `api.port` of supabase/config.toml, 54321]; 0 picks a free one,
    /// as for every port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Port of the app [default: 8080]
    #[arg(long, value_name = "PORT")]
    app_port: Option<u16>,
    /// Port of Postgres [default: `db.port` of supabase/config.toml, 54322]
    #[arg(long, value_name = "PORT")]
    db_port: Option<u16>,
    /// Port of the mailbox [default: `local_smtp.port` of supabase/config.toml, 54324]
    #[arg(long, value_name = "PORT")]
    mail_port: Option<u16>,
    /// Use this database instead of the embedded one [env: `DATABASE_URL`]
    #[arg(long, value_name = "URL")]
    pub(super) db_url: Option<String>,
}

/// Options of `wildfire start`.
#[derive(Clone, Debug, Default, Args)]
pub struct StartOptions {
    #[command(flatten)]
    wanted: Wanted,
    /// Leave it running in the background
    #[arg(long)]
    detach: bool,
    /// How `--detach` starts the process that stays
    #[arg(long, hide = true)]
    background: bool,
}

impl Wanted {
    /// The ports that are served.
    pub(super) fn ports(&self, setup: &Setup) -> Ports {
        let mailbox = &setup.project.mailbox;
        Ports {
            api: self.port.unwrap_or(setup.project.api.port),
            app: has_prompts(&setup.services).then(|| self.app_port.unwrap_or(APP_PORT)),
            // Strangers' mail is not kept for reading unless somebody decides so.
            mail: match setup.mode {
                Mode::Production => self.mail_port,
                Mode::Development => mailbox
                    .enabled
                    .then(|| self.mail_port.unwrap_or(mailbox.port)),
            },
        }
    }

    /// The port of an embedded server.
    pub(super) fn db_port(&self, setup: &Setup) -> u16 {
        self.db_port.unwrap_or(setup.project.db.port)
    }

    /// Every port that is opened, and where.
    pub(super) fn opened(&self, setup: &Setup, vars: &Vars) -> Vec<(IpAddr, u16, PortName)> {
        let ports = self.ports(setup);
        let (host, own) = (setup.host, serve::loopback(setup.host));
        let is_embedded = database_url(self.db_url.as_deref(), vars).is_none();
        let opened = [
            (host, Some(ports.api), PortName::API),
            (host, ports.app, PortName::APP),
            (
                own,
                is_embedded.then(|| self.db_port(setup)),
                PortName::POSTGRES,
            ),
            (own, ports.mail, PortName::MAILBOX),
        ];
        let opened = opened.into_iter();
        opened
            .filter_map(|(host, port, name)| Some((host, port?, name)))
            .collect()
    }

    /// Refuses one port for two things, before it looks as if another program had it.
    pub(super) fn refuse_one_port_twice(&self, setup: &Setup, vars: &Vars) -> Result<(), CliError> {
        let opened = self.opened(setup, vars);
        for (at, (host, port, second)) in opened.iter().enumerate() {
            let meets =
                |other: &IpAddr| other == host || other.is_unspecified() || host.is_unspecified();
            let first = opened[..at]
                .iter()
                .find(|(place, other, _)| other == port && meets(place));
            if let Some((_, _, first)) = first.filter(|_| *port != 0) {
                return Err(CliError::SamePort {
                    port: *port,
                    first: *first,
                    second: *second,
                });
            }
        }
        Ok(())
    }
}

/// Why serving ended.
enum End {
    Asked,
    Replaced,
    Failed(std::io::Error),
}

/// Starts everything and waits.
pub(super) async fn run(options: StartOptions, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let started = Instant::now();
    let setup = Setup::load(&options.wanted.folders, vars)?;
    if options.background {
        become_detached();
    }
    // Whoever started it in the background has been told.
    if !options.background {
        remark(&setup, ui, vars);
    }
    let plan = Plan::make(&options.wanted, setup, vars)?;
    if options.detach {
        return detach(plan, ui, vars).await;
    }
    let mut signals = Signals::listen().map_err(CliError::Signals)?;
    #[cfg(target_os = "linux")]
    if std::process::id() == 1 {
        tokio::spawn(async {
            if let Err(error) = platform::cluster::reap_orphans().await {
                tracing::warn!(%error, "Processes that lose their parent stay in the process table");
            }
        });
    }
    let up = tokio::select! {
        up = plan.carry_out(ui, vars, started) => up?,
        () = signals.next() => {
            ui.note("Stopped before everything was up.");
            return Ok(());
        }
    };
    up.serve_until(&mut signals, ui).await
}

/// Everything that runs.
struct Up {
    running: Running,
    postgres: Postgres,
    instance: Instance,
    data_dir: PathBuf,
}

/// A start, looked at from all sides: whatever can be refused is, before anything is written or
/// started.
struct Plan {
    setup: Setup,
    secrets: Secrets,
    url: Option<String>,
    db_port: u16,
    ports: Ports,
    serving: Prepared,
}

impl Plan {
    fn make(wanted: &Wanted, setup: Setup, vars: &Vars) -> Result<Self, CliError> {
        refuse_if_taken(&setup.data_dir)?;
        wanted.refuse_one_port_twice(&setup, vars)?;
        let secrets = setup.secrets(vars)?;
        let ports = wanted.ports(&setup);
        let serving = prepare(&setup, &secrets, &ports, vars)?;
        let url = database_url(wanted.db_url.as_deref(), vars);
        let db_port = wanted.db_port(&setup);
        let database = open_options(&setup, &secrets, url.as_deref(), db_port, vars);
        Postgres::check(&database)?;
        Ok(Self {
            setup,
            secrets,
            url,
            db_port,
            ports,
            serving,
        })
    }

    async fn carry_out(self, ui: Ui, vars: &Vars, started: Instant) -> Result<Up, CliError> {
        let Self {
            setup,
            secrets,
            url,
            db_port,
            ports,
            mut serving,
        } = self;
        let were_new = secrets.are_new();
        let (instance, secrets) = setup.claim(secrets, vars)?;
        if were_new && !secrets.are_new() {
            // What was prepared has other secrets, and the ports.
            drop(serving);
            serving = prepare(&setup, &secrets, &ports, vars)?;
        }
        db_reset::remove_left(&setup.data_dir)?;
        let database = open_options(&setup, &secrets, url.as_deref(), db_port, vars);
        let postgres = migrate::open(&setup, &database, ui).await?;
        let running = serving.run(postgres.urls(), postgres.offer())?;
        let addresses = running.addresses;
        let api = format!("http://{}", addresses.api);
        let state = State {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workdir: setup.workdir.root.clone(),
            api_url: setup.public_url.clone().unwrap_or(api),
            api_port: addresses.api.port(),
            app_port: addresses.app.map(|address| address.port()),
            mail_port: addresses.mail.map(|address| address.port()),
            db_port: postgres.port(),
            db_url: url,
        };
        if let Some(warning) = &running.warning {
            ui.warn(warning);
        }
        if running.lacks_web_app {
            ui.warn(
                "The web app is not built: run `npm install && npm run build` and start again.",
            );
        }
        // Whoever waits for this process in the background shows what it said until now.
        instance.publish(&state)?;
        ui.done("Serving", started);
        let at = Addresses::new(&state, &secrets);
        show(ui, &setup, &at, &secrets, "Ctrl-C, or `wildfire stop`,");
        Ok(Up {
            running,
            postgres,
            instance,
            data_dir: setup.data_dir,
        })
    }
}

impl Up {
    async fn serve_until(mut self, signals: &mut Signals, ui: Ui) -> Result<(), CliError> {
        let end = tokio::select! {
            () = signals.next() => End::Asked,
            never = self.postgres.keep_running() => match never {},
            error = self.running.failed() => End::Failed(error),
            () = self.instance.replaced() => End::Replaced,
        };
        let stopping = Instant::now();
        if matches!(end, End::Asked) {
            ui.note("Stopping; a second Ctrl-C does not wait for open requests.");
        }
        tokio::select! {
            () = self.running.stop() => {}
            () = signals.next() => {}
        }
        self.postgres.stop().await?;
        match end {
            End::Asked => {
                ui.done("Stopped", stopping);
                Ok(())
            }
            End::Replaced => Err(CliError::FolderReplaced(self.data_dir)),
            End::Failed(error) => Err(CliError::ServerFailed(error)),
        }
    }
}

/// What should be known of the set-up before anything starts.
fn remark(setup: &Setup, ui: Ui, vars: &Vars) {
    for warning in &setup.project.warnings {
        ui.warn(&format!("supabase/config.toml: {warning}"));
    }
    if let Some(what) = wrong_clock(&Clock::system()) {
        ui.warn(&format!("{what}: set it, tokens depend on it"));
    }
    warn_of_variables(vars, ui);
    say_what_is_made(setup, ui);
}

/// Outside a project, what a first start makes where it stands.
fn say_what_is_made(setup: &Setup, ui: Ui) {
    if setup.workdir.supabase.join("config.toml").is_file() || setup.data_dir.exists() {
        return;
    }
    ui.note(&format!(
        "There is no supabase/config.toml in {} or above it: serving an empty project, with its data \
         in {} (another project: --workdir DIR)",
        setup.workdir.root.display(),
        shown(&setup.data_dir)
    ));
}

/// Opens the ports and looks through what is to be served on them.
fn prepare(
    setup: &Setup,
    secrets: &Secrets,
    ports: &Ports,
    vars: &Vars,
) -> Result<Prepared, CliError> {
    let listeners = Listeners::bind(setup.host, ports)?;
    Ok(serve::prepare(context(setup, secrets, listeners, vars))?)
}

/// What is served, but for the database.
pub(super) fn context(
    setup: &Setup,
    secrets: &Secrets,
    listeners: Listeners,
    vars: &Vars,
) -> ServeContext {
    let api = &secrets.api;
    let variable = |name| vars.get(name).map(str::to_owned);
    ServeContext {
        mode: setup.mode,
        services: setup.services.clone(),
        workdir: setup.workdir.root.clone(),
        data_dir: setup.data_dir.clone(),
        project: Arc::clone(&setup.project),
        keys: ProjectKeys {
            anon: api.anon.clone(),
            service_role: api.service_role.expose().clone(),
            publishable: api.publishable.clone(),
            secret: api.secret.expose().clone(),
            jwt_secret: secrets.jwt_secret.expose().clone(),
            jwt_keys: secrets.jwt_keys.expose().clone(),
            anon_asymmetric: variable("ANON_KEY_ASYMMETRIC"),
            service_role_asymmetric: variable("SERVICE_ROLE_KEY_ASYMMETRIC"),
        },
        listeners,
        public_url: setup.public_url.clone(),
        vars: vars.clone(),
    }
}

/// What somebody needs who has just started it.
fn show(ui: Ui, setup: &Setup, at: &Addresses, secrets: &Secrets, stop: &str) {
    let mode = setup.mode;
    let mut rows = at.rows();
    let mut footer = Vec::new();
    match mode {
        Mode::Development => {
            let api = &secrets.api;
            rows.push(("Database", at.database.clone()));
            rows.push(("Publishable key", api.publishable.clone()));
            rows.push(("Secret key", api.secret.expose().clone()));
            footer.push(
                "Development: these are the demo keys everybody knows, so it listens on this \
                 machine only."
                    .to_owned(),
            );
        }
        Mode::Production => {
            rows.push(("Publishable key", secrets.api.publishable.clone()));
            let secret = format!("in {}", shown(&setup.data_dir.join(FILE)));
            rows.push(("Secrets", secret));
        }
    }
    let keys = "All keys: `wildfire status -o env`";
    footer.push(match &at.app {
        Some(app) if mode == Mode::Production => {
            let api = &at.api;
            format!("Next: have your proxy forward {api} to {app}, open it and sign up. {keys}")
        }
        Some(app) => format!("Next: open {app} and sign up. {keys}"),
        None => keys.to_owned(),
    });
    footer.push(format!("{stop} stops everything."));
    ui.panel("Wildfire is running", &rows, &footer);
}

async fn detach(plan: Plan, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let Plan { setup, serving, .. } = plan;
    // The ports are the other process's to open.
    drop(serving);
    setup.create_data_dir()?;
    let arguments = env::args_os()
        .skip(1)
        .filter(|argument| argument != "--detach");
    let arguments: Vec<OsString> = arguments.chain(["--background".into()]).collect();
    let detached = start_detached(&setup.data_dir, &arguments).await?;
    ui.repeat_remarks(&detached.output);
    let secrets = setup.secrets(vars)?;
    let at = Addresses::new(&detached.state, &secrets);
    show(ui, &setup, &at, &secrets, "`wildfire stop`");
    ui.note(&format!(
        "It runs in the background; its log is {}",
        shown(&setup.data_dir.join(LOG_FILE))
    ));
    Ok(())
}
