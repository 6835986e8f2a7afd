//! Serves everything: the API and the app from one application on two ports, the mailbox on a
//! third, all in this process, until told to stop.

mod caller;
mod context;
mod environment;
mod listeners;
mod operations;
mod services;

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::web::{Data, JsonConfig, PayloadConfig};
use actix_web::{App, HttpRequest, web};
use platform::clock::Clock;
use platform::env::{EnvError, Reader};
use platform::http::forwarded::TrustedProxies;
use platform::http::mount::Mounted;
use platform::http::{self, Connections, observe};
use platform::jwt::{KeyError, Verifier};
use platform::pg::{DatabaseUrls, Offer};
use platform::service::{House, StartError};
use platform::telemetry::traces::{Traces, TracesConfig, TracesError};
use tokio::task::JoinHandle;

pub use context::{Mode, ProjectKeys, ServeContext};
use environment::StackConfig;
pub(crate) use listeners::{APP_PORT, loopback};
pub use listeners::{Addresses, BindError, Listeners, PortName, Ports};
pub(crate) use operations::SERVICE as OPERATIONS;
pub use services::ServiceError;
use services::{Planned, Services};

use crate::gateway::{self, Clash, Gateway, Table};
use crate::has_prompts;
use crate::mailbox::{self, Door, MailboxMailer, Store};
use crate::webapp::{self, PageSecurity, WebApp};

/// Largest request body of the mailbox: ids of the mails to delete.
const MAILBOX_BODY_LIMIT: usize = 64 << 10;

/// Why serving could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Settings of the stack that are wrong.
    #[error(transparent)]
    Settings(#[from] EnvError),
    /// A service did not start.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The house they live in cannot be made.
    #[error(transparent)]
    House(#[from] StartError),
    /// Traces cannot be sent.
    #[error("traces: {0}")]
    Traces(#[from] TracesError),
    /// Two services want the same paths.
    #[error(transparent)]
    Clash(#[from] Clash),
    /// The signing keys cannot be used.
    #[error("signing keys: {0}")]
    Keys(#[from] KeyError),
    /// The mailbox folder cannot be used.
    #[error("the mailbox folder {} cannot be used: {source}", folder.display())]
    Mailbox {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The web app cannot be read.
    #[error(transparent)]
    WebApp(#[from] webapp::LoadError),
    /// A build that is not where it is said to be.
    #[error(
        "WILDFIRE_WEB_DIR names {}, and no index.html is there; name the folder of a build, which \
         `npm run build` leaves in web/dist, or unset it",
        .0.display()
    )]
    NoWebApp(PathBuf),
    /// Production without a way to send mail.
    #[error(
        "sign-in links cannot reach anybody: set GOTRUE_SMTP_HOST, GOTRUE_SMTP_PORT and \
         GOTRUE_SMTP_ADMIN_EMAIL"
    )]
    NoMailServer,
    /// The server itself failed.
    #[error("the server could not start: {0}")]
    Server(#[from] io::Error),
}

/// A stack that answers requests.
pub struct Running {
    /// Where it listens.
    pub addresses: Addresses,
    /// Whether the web app should be shown and is not built.
    pub lacks_web_app: bool,
    /// What should be known about the database's connections, and changed.
    pub warning: Option<String>,
    services: Services,
    house: House,
    traces: Option<Traces>,
    connections: Arc<Connections>,
    handles: Vec<ServerHandle>,
    servers: Vec<JoinHandle<io::Result<()>>>,
}

/// What is served, looked through before there is a database.
pub struct Prepared {
    context: ServeContext,
    config: StackConfig,
    services: Planned,
    table: Table,
    verifier: Verifier,
    traces: Option<TracesConfig>,
    web_app: Option<Arc<WebApp>>,
    clock: Clock,
    /// Where mail is sent; none when it stays in the mailbox.
    pub mail_server: Option<String>,
}

/// Refuses whatever can be refused without a database; writes and starts nothing.
pub fn prepare(context: ServeContext) -> Result<Prepared, ServeError> {
    let vars = environment::vars(&context);
    let reader = Reader::new(&vars);
    let config = StackConfig::from_env(&reader, context.mode);
    let services = Planned::read(&context.services, &reader);
    let traces = TracesConfig::from_env(&reader);
    reader.finish()?;
    let table = Table::new(&context.services)?;
    let mail_server = vars.get("GOTRUE_SMTP_HOST").map(str::to_owned);
    let mailbox = context.listeners.mail.is_some();
    if context.mode == Mode::Production && mail_server.is_none() && !mailbox {
        return Err(ServeError::NoMailServer);
    }
    let clock = Clock::system();
    let verifier = environment::verifier(&vars, clock.clone())?;
    let web_app = has_prompts(&context.services)
        .then(|| load_web_app(&context, &config))
        .transpose()?;
    Ok(Prepared {
        context,
        config,
        services,
        table,
        verifier,
        traces,
        web_app,
        clock,
        mail_server,
    })
}

impl Prepared {
    /// Starts serving and returns at once.
    pub fn run(self, databases: &DatabaseUrls, offer: &Offer) -> Result<Running, ServeError> {
        let Self {
            context,
            config,
            web_app,
            clock,
            ..
        } = self;
        let addresses = context.listeners.addresses();
        let store = open_mailbox(&context.data_dir, &clock)?;
        let mailer = Arc::new(MailboxMailer::new(Arc::clone(&store)));
        let (sizes, warning) = self.services.divide(offer);
        let house = House::new(databases.clone(), self.verifier, clock.clone(), mailer)?;
        let house = house.with_sizes(sizes);
        let traces = self.traces.as_ref().map(Traces::start).transpose()?;
        let services = self.services.start(&house)?;
        if let Some(app) = &web_app {
            app.compress_in_background();
        }
        let lacks_web_app = web_app.as_ref().is_some_and(|app| !app.is_built());
        let keys = environment::gateway_keys(&context);
        let door = match context.mode {
            Mode::Development => Door::Open,
            Mode::Production => Door::Locked(keys.clone()),
        };
        let gateway = Gateway {
            dialect: config.dialect,
            keys,
            table: self.table,
            trusted_proxies: config.http.trusted_proxies,
        };
        let connections = Connections::new(config.http);
        let Listeners { api, app, mail, .. } = context.listeners;
        let state = AppState {
            gateway: Data::new(gateway),
            web_app: web_app.map(Data::from),
        };
        let listeners = std::iter::once(api).chain(app);
        let app = serve_app(&connections, config.workers, listeners, state, &services)?;
        let mailbox =
            mail.map(|listener| serve_mailbox(&connections, listener, store, clock, door));
        let servers: Vec<_> = std::iter::once(app).chain(mailbox.transpose()?).collect();
        Ok(Running {
            addresses,
            lacks_web_app,
            warning,
            services,
            house,
            traces,
            connections,
            handles: servers.iter().map(Server::handle).collect(),
            servers: servers.into_iter().map(tokio::spawn).collect(),
        })
    }
}

impl Running {
    /// Every route that is mounted, with the name of its service.
    pub fn routes(&self) -> Vec<(&'static str, Mounted)> {
        self.services.routes()
    }

    /// Takes no further requests, answers those in flight, ends what runs beside them, writes down what
    /// is held in memory, and lets go of the database.
    pub async fn stop(self) {
        self.house.tasks.stop();
        http::stop(&self.connections, &self.handles).await;
        self.house.end(self.services.iter()).await;
        if let Some(traces) = self.traces {
            traces.finish().await;
        }
    }

    /// Waits until a server ends of itself, which only a failure makes it do.
    pub async fn failed(&mut self) -> io::Error {
        let servers = self.servers.iter_mut();
        let (ended, _, _) = futures_util::future::select_all(servers).await;
        match ended {
            Ok(Err(error)) => error,
            Ok(Ok(())) => io::Error::other("a server ended"),
            Err(error) => io::Error::other(error),
        }
    }
}

/// What every worker of the application shares.
#[derive(Clone)]
struct AppState {
    gateway: Data<Gateway>,
    /// None where the prompt platform is switched off.
    web_app: Option<Data<WebApp>>,
}

fn serve_app(
    connections: &Arc<Connections>,
    workers: usize,
    listeners: impl IntoIterator<Item = TcpListener>,
    state: AppState,
    services: &Services,
) -> io::Result<Server> {
    let services = services.clone();
    http::serve(connections, workers, listeners, move || {
        let app = App::new()
            .app_data(state.gateway.clone())
            // The gateway, which tells the services who the client is.
            .app_data(TrustedProxies(1))
            .wrap(from_fn(gateway::pass))
            .wrap(from_fn(observe))
            .configure(|config| services.configure(config));
        match &state.web_app {
            Some(web_app) => app.app_data(web_app.clone()).default_service(web::to(
                async |app: Data<WebApp>, request: HttpRequest| app.serve(&request),
            )),
            None => app.default_service(web::to(operations::nothing_here)),
        }
    })
}

fn serve_mailbox(
    connections: &Arc<Connections>,
    listener: TcpListener,
    store: Arc<Store>,
    clock: Clock,
    door: Door,
) -> io::Result<Server> {
    let (store, clock, door) = (Data::from(store), Data::new(clock), Data::new(door));
    http::serve(connections, 1, [listener], move || {
        App::new()
            .app_data(store.clone())
            .app_data(clock.clone())
            .app_data(door.clone())
            .app_data(JsonConfig::default().limit(MAILBOX_BODY_LIMIT))
            .app_data(PayloadConfig::new(MAILBOX_BODY_LIMIT))
            .wrap(from_fn(mailbox::guard))
            .configure(mailbox::configure)
    })
}

fn open_mailbox(data_dir: &Path, clock: &Clock) -> Result<Arc<Store>, ServeError> {
    let folder = data_dir.join("mail");
    let store = Store::open(&folder, clock.clone());
    store
        .map(Arc::new)
        .map_err(|source| ServeError::Mailbox { folder, source })
}

fn load_web_app(context: &ServeContext, config: &StackConfig) -> Result<Arc<WebApp>, ServeError> {
    let api_url = environment::api_url(context);
    let https = context.mode == Mode::Production && api_url.starts_with("https://");
    let security = PageSecurity::new(Some(&api_url), https, config.http.trusted_proxies > 0);
    let executable = std::env::current_exe().ok();
    let given = config.web_dir.as_deref().map(Path::new);
    if let Some(folder) = given.filter(|folder| !folder.join("index.html").is_file()) {
        return Err(ServeError::NoWebApp(folder.to_owned()));
    }
    let folder = webapp::find_build(given, executable.as_deref(), &context.workdir);
    let app = WebApp::load(folder.as_deref(), &context.keys.anon, security)?;
    Ok(Arc::new(app))
}
