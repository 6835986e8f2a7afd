//! The contract between a service and the house it lives in: one process, alone or with others.
//!
//! **What a service is** is data, its [`Definition`], and the only thing its library has to expose:
//!
//! | member | what |
//! |---|---|
//! | `name` | one word: in metrics, in `/health`, in messages |
//! | `mount` | the prefix of its paths, which its routes do not see |
//! | `rows` | which paths are its own and what each asks of a caller ([`Row`]) |
//! | `roles` | the database roles it logs in as |
//! | `migrations` | its parts of the database, each with ledger, lock and owner role |
//! | `read` | reads its settings and refuses what is wrong with them; returns a [`Plan`] |
//!
//! **A start has two phases.** First `read` of every service sees the settings, before a database is
//! open, a file written or a thread started; all problems of all services are told at once. Then the
//! database is brought up to date, in the order of the list, and each [`Plan`] is carried out: it is
//! given the [`House`] and returns what runs, a [`Service`].
//!
//! **What a service is given** is the [`House`]: the database for each of its roles, the one verifier of
//! tokens, the clock, what carries mail, what asks others over HTTP, its own corner of the metrics, the
//! health of its neighbours, and [`Tasks`], in which everything runs that outlives a request.
//!
//! **What runs** is a [`Service`]: it mounts its routes (once per worker; [`Mount`] lists them for the
//! reviewed file of who may call what), says how it is, and writes down what it holds in memory before
//! the process ends.
//!
//! **Requests.** Deadlines, bounds, ids, the log, keys, CORS and forwarding headers are the house's
//! business and hold for every route. A route that takes more than the usual says so itself:
//! `http::body::set_rules` for the time and `http::body::stream` for the size of a body that is not
//! read whole, `HttpResponse::streaming` for an answer that is not made whole. One that wants the
//! connection as it is, for a WebSocket, claims it (`http::upgrade::claim`).
//!
//! **A caller** is who his token says, a user or a key: the gateway makes tokens of keys where the row
//! says so ([`Access`]), and [`House::verifier`] checks both alike.
//!
//! **The end.** [`Tasks`] are told first, so that sockets close at once and loops end; requests in
//! flight are answered, uploads get a bounded time; then the tasks are waited for,
//! [`Service::flush`] is called, and all connections to the database are closed.
//!
//! There is no container and no registry: a service that needs something the house does not have
//! makes it in its plan, and one that nobody lists does not exist.

mod alone;
mod board;
pub mod operations;
mod pools;
pub mod program;
mod row;
mod sizes;
mod tasks;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;

pub use alone::run_alone;
pub use board::Board;
pub use pools::Pools;
pub use row::{Access, Path, Row};
pub use sizes::PoolSizes;
pub use tasks::Tasks;

use crate::clock::Clock;
use crate::env::{Reader, Secret};
use crate::health::Health;
use crate::http::mount::Mount;
use crate::http::{self, FetchError, HttpClient};
use crate::jwt::{KeyError, Verifier};
use crate::mail::{MailError, Mailer};
use crate::pg::migrate::{Migrations, Owner};
use crate::pg::{Database, DatabaseConfig, DatabaseUrls, DbError, PoolPlan};
use crate::telemetry::Metrics;
use crate::telemetry::traces::TracesError;

/// How long tasks that know of the end are waited for.
const LAST_TASKS: Duration = Duration::from_secs(10);

/// How long services get to write down what they hold in memory.
const LAST_FLUSH: Duration = Duration::from_secs(5);

/// The longest that the end of services may take in all.
pub const LONGEST_END: Duration = http::LONGEST_STOP
    .saturating_add(LAST_TASKS)
    .saturating_add(LAST_FLUSH);

/// What a service is, before anything of it runs.
pub struct Definition {
    /// One word, unique in the house.
    pub name: &'static str,
    /// The prefix of its paths, which its routes do not see; empty if they are written whole.
    pub mount: &'static str,
    /// Which paths are its own, whole, and what each asks of a caller.
    pub rows: &'static [Row],
    /// The database roles it logs in as when it runs.
    pub roles: &'static [&'static str],
    /// Its parts of the database, in the order in which they are made.
    pub migrations: &'static [Migrations],
    /// Reads its settings; the reader collects what is wrong with them.
    pub read: fn(&Reader<'_>) -> Plan,
}

impl Definition {
    /// The database roles that something logs in as: the service, or whoever applies its migrations.
    pub fn logins(&self) -> impl Iterator<Item = &'static str> + use<> {
        let owners = self.migrations.iter().filter_map(|part| match part.owner {
            Owner::Role(role) => Some(role),
            Owner::Administrator => None,
        });
        self.roles.iter().copied().chain(owners)
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Definition").field(&self.name).finish()
    }
}

/// A service whose settings are known and good; nothing of it runs yet.
pub struct Plan {
    /// The pools it will open, one for each role and each once; no others can be.
    pub pools: Vec<PoolPlan>,
    start: Start,
}

/// Starts a service in its house.
type Start = Box<dyn FnOnce(&House) -> Result<Arc<dyn Service>, StartError> + Send>;

impl Plan {
    /// A service that opens these pools and is started by `start`.
    pub fn new(
        pools: impl Into<Vec<PoolPlan>>,
        start: impl FnOnce(&House) -> Result<Arc<dyn Service>, StartError> + Send + 'static,
    ) -> Self {
        Self {
            pools: pools.into(),
            start: Box::new(start),
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Plan")
            .field("pools", &self.pools)
            .finish_non_exhaustive()
    }
}

/// A service that runs.
#[async_trait]
pub trait Service: Send + Sync {
    /// Mounts its routes; called once per worker.
    fn routes(&self, mount: &mut Mount<'_>);

    /// How it is. Asked often, and given up after a few seconds.
    async fn health(&self) -> Health {
        Health::good()
    }

    /// Writes down what is held in memory, within seconds; called once, when requests and tasks have ended or
    /// were given up.
    async fn flush(&self) {}
}

/// Why a service did not start, although its settings are good.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The connection to the database is not described well.
    #[error("database: {0}")]
    Database(#[from] DbError),
    /// The signing keys cannot be used.
    #[error("signing keys: {0}")]
    Keys(#[from] KeyError),
    /// The mail server is not described well.
    #[error("mail: {0}")]
    Mail(#[from] MailError),
    /// Nobody could be asked over HTTP.
    #[error("HTTP client: {0}")]
    Client(#[from] FetchError),
    /// Traces cannot be sent.
    #[error("traces: {0}")]
    Traces(#[from] TracesError),
}

/// What a service is given; cloning shares it.
#[derive(Clone)]
pub struct House {
    /// Where the database is, for each role.
    pub databases: DatabaseUrls,
    /// Checks tokens; one table of known ones for all services.
    pub verifier: Verifier,
    /// What tells the time.
    pub clock: Clock,
    /// What carries mail, unless a service's own settings name a mail server.
    pub mailer: Arc<dyn Mailer>,
    /// Asks others over HTTP.
    pub web: HttpClient,
    /// Whatever outlives a request runs here, and hears here of the end.
    pub tasks: Tasks,
    /// How all services of this house are.
    pub board: Board,
    /// All connections to the database.
    pub pools: Pools,
    /// What this service counts.
    pub metrics: Metrics,
    /// How large the pools are.
    sizes: PoolSizes,
    /// The pools that the service whose copy this is has planned and not opened yet, with their sizes
    /// if those are known. A house that is nobody's has no plan.
    planned: Option<Planned>,
}

type Planned = Arc<Mutex<Vec<(&'static str, Option<usize>)>>>;

impl House {
    /// A house in which nobody lives yet.
    pub fn new(
        databases: DatabaseUrls,
        verifier: Verifier,
        clock: Clock,
        mailer: Arc<dyn Mailer>,
    ) -> Result<Self, StartError> {
        let metrics = Metrics::of("house");
        verifier.show(metrics);
        Ok(Self {
            databases,
            verifier,
            clock,
            mailer,
            web: HttpClient::new()?,
            tasks: Tasks::new(),
            board: Board::default(),
            pools: Pools::default(),
            metrics,
            sizes: PoolSizes::default(),
            planned: None,
        })
    }

    /// With pools of these sizes.
    #[must_use]
    pub fn with_sizes(mut self, sizes: PoolSizes) -> Self {
        self.sizes = sizes;
        self
    }

    /// Connections as this role, as the service wants them, and as many as it was given. What it did
    /// not plan, or has opened before, is refused: it would be more than the database offers.
    pub fn database(
        &self,
        role: &'static str,
        wanted: impl FnOnce(Secret<String>) -> DatabaseConfig,
    ) -> Result<Database, DbError> {
        let mut config = wanted(self.databases.of(role)?);
        if let Some(planned) = &self.planned {
            let mut planned = planned.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(at) = planned.iter().position(|(of, _)| *of == role) else {
                let refused = format!("no pool of {role} is planned that is not open yet");
                return Err(DbError::Config(refused));
            };
            if let (_, Some(size)) = planned.swap_remove(at) {
                config.max_connections = size;
            }
        }
        let database = Database::new(&config)?;
        self.pools.add(self.metrics, role, &database);
        Ok(database)
    }

    /// Carries a plan out.
    pub fn start(&self, name: &'static str, plan: Plan) -> Result<Arc<dyn Service>, StartError> {
        let planned = plan.pools.iter();
        let planned = planned.map(|pool| (pool.role, self.sizes.of(name, pool.role)));
        let own = Self {
            metrics: Metrics::of(name),
            planned: Some(Arc::new(Mutex::new(planned.collect()))),
            ..self.clone()
        };
        let service = (plan.start)(&own)?;
        self.board.add(name, &service);
        Ok(service)
    }

    /// What follows when no request is left: waits for the tasks, has the services write down what they
    /// hold, all at once, and lets go of the database.
    pub async fn end(&self, services: impl IntoIterator<Item = &Arc<dyn Service>>) {
        self.tasks.stop();
        self.tasks.wait(LAST_TASKS).await;
        let flushes = join_all(services.into_iter().map(|service| service.flush()));
        if tokio::time::timeout(LAST_FLUSH, flushes).await.is_err() {
            tracing::warn!("Some of what was held in memory could not be written down in time");
        }
        self.pools.close();
    }
}
