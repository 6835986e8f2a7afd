//! Serves everything: the API and the app from one application on two ports, the mailbox on a
//! third, all in this process, until told to stop.

mod context;
mod environment;
mod listeners;
mod services;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::web::{Data, JsonConfig};
use actix_web::{App, HttpRequest, HttpServer, web};
use platform::clock::Clock;
use platform::env::{EnvError, Reader};
use platform::http::{REQUEST_HEAD, SHUTDOWN, observe};
use tokio::task::JoinHandle;

pub use context::{DatabaseUrls, Mode, ProjectKeys, ServeContext};
use environment::StackConfig;
pub(crate) use listeners::loopback;
pub use listeners::{Addresses, BindError, Listeners, Ports};
pub use services::ServiceError;
use services::Services;

use crate::gateway::{self, Gateway};
use crate::mailbox::{self, Door, Store};
use crate::webapp::{self, PageSecurity, WebApp};

/// Largest JSON body a service reads unless it says otherwise.
const JSON_LIMIT: usize = 1024 * 1024;

/// How long an idle connection stays open: longer than proxies keep theirs, so that they and not
/// this server close it.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Why serving could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Settings of the stack that are wrong.
    #[error(transparent)]
    Settings(#[from] EnvError),
    /// A service did not start.
    #[error(transparent)]
    Service(#[from] ServiceError),
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
    /// Whether there is a web app to show.
    pub web_app_built: bool,
    services: Services,
    handles: Vec<ServerHandle>,
    tasks: Vec<JoinHandle<io::Result<()>>>,
}

/// Starts serving and returns at once.
pub fn run(context: ServeContext) -> Result<Running, ServeError> {
    let vars = environment::vars(&context);
    let reader = Reader::new(&vars);
    let config = StackConfig::from_env(&reader, context.mode);
    reader.finish()?;
    let has_mail_server = vars
        .get("GOTRUE_SMTP_HOST")
        .is_some_and(|host| !host.is_empty());
    if context.mode == Mode::Production && !has_mail_server && context.listeners.mail.is_none() {
        return Err(ServeError::NoMailServer);
    }
    let clock = Clock::system();
    let addresses = context.listeners.addresses();
    let store = open_mailbox(&context.data_dir, &clock)?;
    let services = Services::start(&vars, Arc::clone(&store), &clock)?;
    let web_app = load_web_app(&context, &config)?;
    let web_app_built = web_app.is_built();
    let keys = environment::gateway_keys(&context);
    let door = match context.mode {
        Mode::Development => Door::Open,
        Mode::Production => Door::Locked(keys.clone()),
    };
    let gateway = Gateway {
        dialect: config.dialect,
        keys,
        trusted_proxies: config.trusted_proxies,
    };
    let Listeners { api, app, mail, .. } = context.listeners;
    let state = AppState {
        gateway: Data::new(gateway),
        web_app: Data::from(web_app),
    };
    let mut servers = vec![serve_app(
        state,
        &services,
        [Some(api), app],
        config.workers,
    )?];
    if let Some(listener) = mail {
        servers.push(serve_mailbox(store, clock, door, listener)?);
    }
    let handles = servers.iter().map(Server::handle).collect();
    let tasks = servers.into_iter().map(tokio::spawn).collect();
    Ok(Running {
        addresses,
        web_app_built,
        services,
        handles,
        tasks,
    })
}

impl Running {
    /// Stops taking requests, lets open ones finish, and writes down what is held in memory.
    pub async fn stop(self) {
        for handle in &self.handles {
            handle.stop(true).await;
        }
        self.services.flush().await;
    }

    /// Waits until a server ends of itself, which only a failure makes it do.
    pub async fn failed(&mut self) -> io::Error {
        let tasks = self.tasks.iter_mut();
        let (ended, _, _) = futures_util::future::select_all(tasks).await;
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
    web_app: Data<WebApp>,
}

fn serve_app(
    state: AppState,
    services: &Services,
    listeners: [Option<std::net::TcpListener>; 2],
    workers: usize,
) -> io::Result<Server> {
    let services = services.clone();
    let server = HttpServer::new(move || {
        App::new()
            .app_data(JsonConfig::default().limit(JSON_LIMIT))
            .app_data(state.gateway.clone())
            .app_data(state.web_app.clone())
            .wrap(from_fn(gateway::pass))
            .wrap(from_fn(observe))
            .configure(|config| services.configure(config))
            .default_service(web::to(async |app: Data<WebApp>, request: HttpRequest| {
                app.serve(&request)
            }))
    });
    let mut server = server
        .workers(workers)
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(REQUEST_HEAD)
        .shutdown_timeout(SHUTDOWN.as_secs())
        .disable_signals();
    for listener in listeners.into_iter().flatten() {
        server = server.listen_auto_h2c(listener)?;
    }
    Ok(server.run())
}

fn serve_mailbox(
    store: Arc<Store>,
    clock: Clock,
    door: Door,
    listener: std::net::TcpListener,
) -> io::Result<Server> {
    let (store, clock, door) = (Data::from(store), Data::new(clock), Data::new(door));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(store.clone())
            .app_data(clock.clone())
            .app_data(door.clone())
            .wrap(from_fn(mailbox::guard))
            .configure(mailbox::configure)
    });
    let server = server
        .workers(1)
        .client_request_timeout(REQUEST_HEAD)
        .disable_signals();
    Ok(server.listen(listener)?.run())
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
    let security = PageSecurity::new(Some(&api_url), https, config.trusted_proxies > 0);
    let executable = std::env::current_exe().ok();
    let working = std::env::current_dir().unwrap_or_default();
    let given = config.web_dir.as_deref().map(Path::new);
    let folder = webapp::find_build(given, executable.as_deref(), &working);
    let app = Arc::new(WebApp::load(
        folder.as_deref(),
        &context.keys.anon,
        security,
    )?);
    app.compress_in_background();
    Ok(app)
}
