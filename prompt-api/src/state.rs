//! What requests share.

use std::sync::Arc;
use std::time::Duration;

use platform::clock::Clock;
use platform::jwt::Verifier;
use platform::pg::{Database, DatabaseConfig};
use platform::service::operations::Operations;
use platform::service::{House, StartError, Tasks};

use crate::config::{Config, NAME, ROLE};
use crate::usage::Usage;
use crate::waitlist::SignupLimiter;

/// How often counted calls are written down.
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);

/// Pool, keys, clock and counters.
pub struct State {
    pub(crate) database: Database,
    pub(crate) verifier: Verifier,
    pub(crate) clock: Clock,
    pub(crate) usage: Arc<Usage>,
    pub(crate) signups: SignupLimiter,
    pub(crate) operations: Operations,
    pub(crate) debug_endpoints: bool,
}

impl State {
    /// Prepares everything; connections are opened as they are needed.
    pub fn new(config: &Config, house: &House) -> Result<Self, StartError> {
        let database = house.database(ROLE, |url| {
            let usual = DatabaseConfig::new(url, "prompt-api");
            DatabaseConfig {
                max_connections: config.max_connections.unwrap_or(usual.max_connections),
                ..usual
            }
        });
        Ok(Self {
            database: database?,
            verifier: house.verifier.clone(),
            clock: house.clock.clone(),
            usage: Arc::new(Usage::default()),
            signups: SignupLimiter::default(),
            operations: Operations::new(NAME, house, &config.operations),
            debug_endpoints: config.debug_endpoints,
        })
    }

    /// Writes counted calls down every now and then, until the end.
    pub(crate) fn write_usage_down(&self, tasks: &Tasks) {
        let (usage, database) = (Arc::clone(&self.usage), self.database.clone());
        tasks.repeat(FLUSH_INTERVAL, move || {
            let (usage, database) = (Arc::clone(&usage), database.clone());
            async move { usage.flush(&database).await }
        });
    }

    /// Writes down what has been counted; call before the process ends.
    pub async fn flush(&self) {
        self.usage.flush(&self.database).await;
    }
}
