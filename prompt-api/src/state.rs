//! What requests share.

use std::sync::Arc;
use std::time::Duration;

use platform::clock::Clock;
use platform::env::Secret;
use platform::jwt::{KeyError, Keyring, Verifier};
use platform::pg::{Database, DatabaseConfig, DbError};

use crate::config::Config;
use crate::usage::Usage;
use crate::waitlist::SignupLimiter;

/// How often counted calls are written down.
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("database: {0}")]
    Database(#[from] DbError),
    #[error("JWT keys: {0}")]
    Keys(#[from] KeyError),
}

/// Pool, keys, clock and counters.
pub struct State {
    pub(crate) database: Database,
    pub(crate) verifier: Verifier,
    pub(crate) clock: Clock,
    pub(crate) usage: Arc<Usage>,
    pub(crate) signups: SignupLimiter,
    pub(crate) metrics_token: Option<Secret<String>>,
    pub(crate) debug_endpoints: bool,
}

impl State {
    /// Prepares everything; connections are opened as they are needed.
    pub fn new(config: &Config, clock: Clock) -> Result<Self, StartError> {
        let mut database = DatabaseConfig::new(config.database_url.clone(), "prompt-api");
        database.max_connections = config.max_connections;
        let keys = config.jwt_keys.as_ref().map(|keys| keys.expose().as_str());
        let keyring = Keyring::from_config(config.jwt_secret.as_ref(), keys)?
            .with_valid_methods(["HS256", "RS256", "ES256"]);
        Ok(Self {
            database: Database::new(&database)?,
            verifier: Verifier::new(Arc::new(keyring), clock.clone()),
            clock,
            usage: Arc::new(Usage::default()),
            signups: SignupLimiter::default(),
            metrics_token: config.metrics_token.clone(),
            debug_endpoints: config.debug_endpoints,
        })
    }

    /// Writes counted calls down every now and then; call once, within a Tokio runtime.
    pub fn spawn_background(&self) {
        let (usage, database) = (Arc::clone(&self.usage), self.database.clone());
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(FLUSH_INTERVAL);
            loop {
                ticks.tick().await;
                usage.flush(&database).await;
            }
        });
    }

    /// Writes down what has been counted; call before the process ends.
    pub async fn flush(&self) {
        self.usage.flush(&self.database).await;
    }
}
