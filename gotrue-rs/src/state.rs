//! What every request shares.

use std::sync::Arc;

use platform::clock::Clock;
use platform::http::HttpClient;
use platform::jwt::{KeyError, Keyring, Verifier};
use platform::mail::Mailer;
use platform::pg::{Client, Database, DbError};
use platform::service::Tasks;

use crate::accounts::password::Hasher;
use crate::config::Config;
use crate::limits::{AskedLately, Limits};
use crate::mail::{self, Post};
use crate::otp::CodeKey;

/// What the service needs from outside.
pub struct Deps {
    /// The database holding the `auth` schema, reached as `supabase_auth_admin`.
    pub database: Database,
    /// What checks tokens.
    pub verifier: Verifier,
    /// What carries mails.
    pub mailer: Arc<dyn Mailer>,
    /// What asks others over HTTP.
    pub web: HttpClient,
    /// What tells the time.
    pub clock: Clock,
    /// Where mails are sent that somebody else waits for, or nobody.
    pub tasks: Tasks,
}

/// The service's state; cloning shares it.
#[derive(Clone)]
pub struct State {
    pub(crate) config: Arc<Config>,
    pub(crate) db: Database,
    pub(crate) clock: Clock,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) verifier: Verifier,
    pub(crate) passwords: Hasher,
    pub(crate) codes: CodeKey,
    pub(crate) mail: Post,
    pub(crate) limits: Limits,
    pub(crate) asked: AskedLately,
    pub(crate) tasks: Tasks,
}

impl State {
    /// Builds the state; fails if the signing keys cannot be used.
    pub fn new(config: Config, deps: Deps) -> Result<Self, KeyError> {
        let keyring = Arc::new(config.jwt.keyring()?);
        let mail = mail::post_office(&config, deps.mailer, deps.web, deps.clock.clone())?;
        Ok(Self {
            db: deps.database,
            verifier: deps.verifier,
            keyring,
            passwords: Hasher::start(),
            codes: CodeKey::new(&config.jwt.derive_key("wildfire codes")?),
            mail,
            limits: Limits::new(&config.limits, deps.clock.clone()),
            asked: AskedLately::new(
                config.mail.smtp.max_frequency.unsigned_abs(),
                config.sms.max_frequency,
                &deps.clock,
            ),
            clock: deps.clock,
            tasks: deps.tasks,
            config: Arc::new(config),
        })
    }

    /// For requests of strangers, see [`Database::for_anybody`].
    pub(crate) fn for_anybody(&self) -> Self {
        Self {
            db: self.db.for_anybody(),
            ..self.clone()
        }
    }

    /// For requests that show what only the database can check, see [`Database::for_unproved`].
    pub(crate) fn for_unproved(&self) -> Self {
        Self {
            db: self.db.for_unproved(),
            ..self.clone()
        }
    }

    /// For the service's own work, see [`Database::for_service`].
    pub(crate) fn for_service(&self) -> Self {
        Self {
            db: self.db.for_service(),
            ..self.clone()
        }
    }

    /// A connection.
    pub(crate) async fn client(&self) -> Result<Client, DbError> {
        self.db.client().await
    }
}
