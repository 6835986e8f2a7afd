//! Everything the service can be told, under the names upstream gives it.
//!
//! Mirrors upstream's `internal/conf/configuration.go`: the same defaults, the same things that
//! keep the service from starting. Features that are not built yet refuse to be switched on
//! rather than be silently missing.

mod external;
mod jwt;
mod limits;
mod mfa;
mod password;
mod security;
mod sessions;
mod sms;

use std::sync::Arc;
use std::time::Duration;

use platform::clock::Clock;
use platform::env::{EnvError, Reader, Secret};
use platform::jwt::{KeyError, Verifier};
use platform::mail::{MailError, Mailer};
use platform::pg::DatabaseConfig;
use url::Url;

pub(crate) use external::{ExternalConfig, PROVIDERS};
pub(crate) use jwt::JwtConfig;
pub(crate) use limits::{LimitsConfig, Rate};
pub(crate) use mfa::MfaConfig;
pub(crate) use password::PasswordConfig;
pub(crate) use security::{RefreshTokens, SecurityConfig};
pub(crate) use sessions::SessionsConfig;
pub(crate) use sms::SmsConfig;

use crate::mail::config::MailConfig;
use crate::redirect::RedirectRules;

/// What only a process of its own needs to be told.
#[derive(Debug, Clone)]
pub struct AloneConfig {
    /// `GOTRUE_API_HOST` (default all addresses).
    pub host: String,
    /// `PORT` or `GOTRUE_API_PORT` (default 8081).
    pub port: u16,
    /// `DATABASE_URL` (required): logs in as the role that owns the `auth` schema.
    pub database_url: Secret<String>,
}

impl AloneConfig {
    /// Reads the settings; the reader collects what is wrong with them.
    pub fn from_env(env: &Reader<'_>) -> Self {
        Self {
            host: env.string_or("GOTRUE_API_HOST", "0.0.0.0"),
            port: env.number(env.either("PORT", "GOTRUE_API_PORT"), 8081),
            database_url: env.required_secret(env.either("DATABASE_URL", "GOTRUE_DB_DATABASE_URL")),
        }
    }
}

/// The configuration of the service.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own"
)]
pub struct Config {
    /// `GOTRUE_DB_MAX_POOL_SIZE` (default 0: a share of what the database offers, at most 16): most
    /// database connections open at once.
    pub(crate) max_pool_size: usize,
    /// `API_EXTERNAL_URL` (required): the address links point to.
    pub(crate) api_external_url: Url,
    /// `REQUEST_ID_HEADER`: take the request's id from this header.
    pub(crate) request_id_header: Option<String>,
    /// `GOTRUE_API_MAX_REQUEST_DURATION` (default 10s; 0 is no limit).
    pub(crate) max_request_duration: Duration,
    /// `GOTRUE_CORS_ALLOWED_HEADERS`: further request headers browsers may send.
    pub(crate) cors_allowed_headers: Vec<String>,
    /// `GOTRUE_MAILER_EXTERNAL_HOSTS`: hosts that links may use instead.
    pub(crate) external_hosts: Vec<String>,
    /// `GOTRUE_DISABLE_SIGNUP` (default false).
    pub(crate) disable_signup: bool,
    /// `GOTRUE_AUDIT_LOG_DISABLE_POSTGRES` (default false): log events, do not store them.
    pub(crate) audit_in_database: bool,
    /// `GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED` (default false).
    pub(crate) identity_on_password_set: bool,
    /// `GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED` (default false).
    pub(crate) cursor_pagination: bool,
    /// `GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS` (default none): `provider=domain` pairs.
    /// `GOTRUE_EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN` (default none): providers outside the
    /// default linking domain.
    pub(crate) own_domain_providers: Vec<String>,
    pub(crate) jwt: JwtConfig,
    pub(crate) external: ExternalConfig,
    pub(crate) password: PasswordConfig,
    pub(crate) sessions: SessionsConfig,
    pub(crate) security: SecurityConfig,
    pub(crate) sms: SmsConfig,
    pub(crate) mfa: MfaConfig,
    pub(crate) mail: MailConfig,
    pub(crate) redirects: RedirectRules,
    pub(crate) limits: LimitsConfig,
}

impl Config {
    /// Reads the configuration; all problems are reported together by [`Reader::finish`].
    pub fn from_env(env: &Reader<'_>) -> Self {
        let driver = env.required("GOTRUE_DB_DRIVER");
        if !matches!(driver.as_str(), "" | "postgres") {
            env.problem("GOTRUE_DB_DRIVER", "must be postgres");
        }
        refuse_missing_features(env);
        let external_url = env.either("API_EXTERNAL_URL", "GOTRUE_API_API_EXTERNAL_URL");
        Self {
            max_pool_size: env.number("GOTRUE_DB_MAX_POOL_SIZE", 0),
            api_external_url: url(env, external_url),
            request_id_header: env
                .string(env.either("REQUEST_ID_HEADER", "GOTRUE_API_REQUEST_ID_HEADER")),
            max_request_duration: env
                .duration("GOTRUE_API_MAX_REQUEST_DURATION", Duration::from_secs(10)),
            cors_allowed_headers: env.list("GOTRUE_CORS_ALLOWED_HEADERS"),
            external_hosts: env.list("GOTRUE_MAILER_EXTERNAL_HOSTS"),
            disable_signup: env.bool("GOTRUE_DISABLE_SIGNUP", false),
            audit_in_database: !env.bool("GOTRUE_AUDIT_LOG_DISABLE_POSTGRES", false),
            identity_on_password_set: env.bool(
                "GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED",
                false,
            ),
            cursor_pagination: env.bool("GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", false),
            own_domain_providers: own_domain_providers(env),
            jwt: JwtConfig::from_env(env),
            external: ExternalConfig::from_env(env),
            password: PasswordConfig::from_env(env),
            sessions: SessionsConfig::from_env(env),
            security: SecurityConfig::from_env(env),
            sms: SmsConfig::from_env(env),
            mfa: MfaConfig::from_env(env),
            mail: MailConfig::from_env(env),
            redirects: RedirectRules::from_env(env),
            limits: LimitsConfig::from_env(env),
        }
    }

    /// How the service uses the database at `url`. Waiting for a connection and then for a statement takes
    /// less than a request may, so that a client is told to come again rather than cut off.
    pub fn database(&self, url: &Secret<String>) -> DatabaseConfig {
        let mut database = DatabaseConfig::new(known_parameters(url.expose()), "gotrue");
        if self.max_pool_size > 0 {
            database.max_connections = self.max_pool_size;
        }
        if !self.max_request_duration.is_zero() {
            let tenth = self.max_request_duration / 10;
            database.acquire_timeout = database.acquire_timeout.min(tenth * 3);
            let statement = database.statement_timeout.map(|most| most.min(tenth * 6));
            database.statement_timeout = statement;
        }
        database
    }

    /// What tokens are checked with.
    pub fn verifier(&self, clock: Clock) -> Result<Verifier, KeyError> {
        Ok(Verifier::new(Arc::new(self.jwt.keyring()?), clock))
    }

    /// What carries mails: the mail server that is configured, if one is.
    pub fn smtp_mailer(&self) -> Result<Option<Arc<dyn Mailer>>, MailError> {
        let host = self.api_external_url.host_str();
        self.mail.mailer(host.unwrap_or("localhost"))
    }

    /// Reads the configuration and fails on any problem.
    pub fn load(vars: &platform::env::Vars) -> Result<Self, EnvError> {
        let env = Reader::new(vars);
        let config = Self::from_env(&env);
        env.finish().map(|()| config)
    }
}

/// The database's address without what only other drivers know, such as `search_path`: the
/// statements of this service name their schema.
fn known_parameters(url: &str) -> Secret<String> {
    const KNOWN: [&str; 12] = [
        "application_name",
        "channel_binding",
        "connect_timeout",
        "dbname",
        "host",
        "hostaddr",
        "options",
        "password",
        "port",
        "sslmode",
        "target_session_attrs",
        "user",
    ];
    let Some((address, query)) = url.split_once('?') else {
        return Secret::from(url);
    };
    let is_known = |pair: &&str| KNOWN.contains(&pair.split('=').next().unwrap_or_default());
    let kept: Vec<_> = query.split('&').filter(is_known).collect();
    Secret::new(format!("{address}?{}", kept.join("&")))
}

/// An absolute address.
fn url(env: &Reader<'_>, name: &str) -> Url {
    let text = env.required(name);
    if let Ok(url) = Url::parse(&text) {
        return url;
    }
    if !text.is_empty() {
        env.problem(name, "must be an absolute URL");
    }
    placeholder()
}

/// What stands in for an address that could not be read; never used, as the start fails.
fn placeholder() -> Url {
    #[expect(clippy::expect_used, reason = "a constant that parses")]
    Url::parse("http://localhost").expect("an address")
}

fn own_domain_providers(env: &Reader<'_>) -> Vec<String> {
    let listed = env.list("GOTRUE_EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN");
    let mut mapped = Vec::new();
    let mut in_default = Vec::new();
    for pair in env.list("GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS") {
        match pair.split_once('=') {
            Some((provider, "default")) => in_default.push(provider.to_owned()),
            Some((provider, _)) => mapped.push(provider.to_owned()),
            None => env.problem(
                "GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS",
                "must be provider=domain pairs",
            ),
        }
    }
    mapped.extend(
        listed
            .into_iter()
            .filter(|provider| !in_default.contains(provider)),
    );
    mapped
}

/// Switches of features this service does not have; switching one on must not look like it
/// worked.
fn refuse_missing_features(env: &Reader<'_>) {
    const HOOKS: [&str; 7] = [
        "MFA_VERIFICATION_ATTEMPT",
        "PASSWORD_VERIFICATION_ATTEMPT",
        "CUSTOM_ACCESS_TOKEN",
        "SEND_EMAIL",
        "SEND_SMS",
        "BEFORE_USER_CREATED",
        "AFTER_USER_CREATED",
    ];
    let hooks = HOOKS.map(|hook| format!("GOTRUE_HOOK_{hook}_ENABLED"));
    let others = [
        "GOTRUE_SECURITY_CAPTCHA_ENABLED",
        "GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT",
        "GOTRUE_SAML_ENABLED",
        "GOTRUE_PASSWORD_HIBP_ENABLED",
    ]
    .map(str::to_owned);
    for name in hooks.iter().chain(&others) {
        if env.bool(name, false) {
            env.problem(name, "is not supported by this server yet");
        }
    }
}
