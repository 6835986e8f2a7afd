//! Settings, read from the environment.

use std::sync::Arc;

use platform::clock::Clock;
use platform::env::{Reader, Secret};
use platform::jwt::{KeyError, Keyring, Verifier};
use platform::pg::{DatabaseConfig, as_user};
use platform::service::operations::OperationsConfig;
use platform::service::program::Command;

/// What the service is called in its house.
pub(crate) const NAME: &str = "prompts";

/// The role it logs in as, to act for its callers.
pub(crate) const ROLE: &str = "authenticator";

/// The variable that sets how many connections there are.
pub(crate) const MAX_CONNECTIONS: &str = "PROMPT_API_MAX_CONNECTIONS";

/// The variable that says how to migrate.
const ADMIN_URL: &str = "PROMPT_API_ADMIN_DATABASE_URL";

/// What the service needs to run. Nothing here is read anywhere else.
#[derive(Debug, Clone)]
pub struct Config {
    /// `PROMPT_API_MAX_CONNECTIONS` (default: a share of what the database offers, at most 16): most
    /// database connections open at once.
    pub max_connections: Option<usize>,
    /// Who may ask how the installation is.
    pub operations: OperationsConfig,
    /// `DEBUG_ENDPOINTS` (default false): serve `/debug/auth-test`.
    pub debug_endpoints: bool,
}

/// What only a process of its own needs to be told.
#[derive(Debug, Clone)]
pub struct AloneConfig {
    /// `PROMPT_API_DATABASE_URL` (default: `DATABASE_URL`, required): where Postgres is; logs in as
    /// `authenticator`.
    pub database_url: Secret<String>,
    /// `PROMPT_API_ADMIN_DATABASE_URL` (default none): the same database as an administrator, to bring it
    /// up to date at start or by `prompt-api migrate`; `wildfire_owner` logs in with the password of
    /// `authenticator` then.
    pub admin_url: Option<Secret<String>>,
    /// `JWT_SECRET`: HS256 key shared by all services.
    pub jwt_secret: Option<Secret<String>>,
    /// `JWT_KEYS`: JSON Web Keys that sign access tokens, an array or an object with `keys`.
    pub jwt_keys: Option<Secret<String>>,
    /// `PROMPT_API_HOST` (default 0.0.0.0): address to listen on as a process of its own.
    pub host: String,
    /// `PROMPT_API_PORT` (default 8080): port to listen on; 0 picks a free one.
    pub port: u16,
    /// `PROMPT_API_WORKERS` (default 2): threads that handle requests.
    pub workers: usize,
}

impl Config {
    /// Reads the settings; the reader collects what is wrong with them.
    pub fn from_env(env: &Reader<'_>) -> Self {
        Self {
            max_connections: env
                .string(MAX_CONNECTIONS)
                .map(|_| env.positive(MAX_CONNECTIONS, DatabaseConfig::USUAL_CONNECTIONS)),
            operations: OperationsConfig::from_env(env),
            debug_endpoints: env.bool("DEBUG_ENDPOINTS", false),
        }
    }
}

impl AloneConfig {
    /// Reads the settings for this command; the reader collects what is wrong with them.
    pub fn from_env(env: &Reader<'_>, command: Command) -> Self {
        let config = Self {
            database_url: env
                .required_secret(env.either("PROMPT_API_DATABASE_URL", "DATABASE_URL")),
            admin_url: env.secret(ADMIN_URL),
            jwt_secret: env.secret("JWT_SECRET"),
            jwt_keys: env.secret("JWT_KEYS"),
            host: env.string_or("PROMPT_API_HOST", "0.0.0.0"),
            port: env.number("PROMPT_API_PORT", 8080),
            workers: env.number("PROMPT_API_WORKERS", 2),
        };
        if config.jwt_secret.is_none() && config.jwt_keys.is_none() {
            env.problem("JWT_SECRET", "is required unless JWT_KEYS is set");
        }
        if command == Command::Migrate && config.admin_url.is_none() {
            env.problem(ADMIN_URL, "is required to migrate");
        }
        config
    }

    /// How to log in as a role of this service.
    pub fn url_of(&self, role: &'static str) -> (&'static str, String) {
        match role {
            ROLE => (role, self.database_url.expose().clone()),
            other => (role, as_user(&self.database_url, other, None)),
        }
    }

    /// What tokens are checked with.
    pub fn verifier(&self, clock: Clock) -> Result<Verifier, KeyError> {
        let keys = self.jwt_keys.as_ref().map(|keys| keys.expose().as_str());
        let keyring = Keyring::from_config(self.jwt_secret.as_ref(), keys)?
            .with_valid_methods(["HS256", "RS256", "ES256"]);
        Ok(Verifier::new(Arc::new(keyring), clock))
    }
}
