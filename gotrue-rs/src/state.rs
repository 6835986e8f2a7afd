//! What every request shares.

use std::sync::Arc;

use platform::clock::Clock;
use platform::jwt::{KeyError, Keyring, Verifier};
use platform::mail::Mailer;
use platform::pg::{Client, Database, DbError};

use crate::accounts::password::Hasher;
use crate::config::Config;
use crate::limits::Limits;
use crate::mail::Post;

/// What the service needs from outside.
pub struct Deps {
    /// The database holding the `auth` schema, reached as `supabase_auth_admin`.
    pub database: Database,
    /// What carries mails.
    pub mailer: Arc<dyn Mailer>,
    /// What tells the time.
    pub clock: Clock,
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
    pub(crate) mail: Post,
    pub(crate) limits: Limits,
}

impl State {
    /// Builds the state; fails if the signing keys cannot be used.
    pub fn new(config: Config, deps: Deps) -> Result<Self, KeyError> {
        let keyring = Arc::new(config.jwt.keyring()?);
        let mail = Post::new(
            &config.mail,
            config.redirects.site_url(),
            deps.mailer,
            deps.clock.clone(),
        );
        Ok(Self {
            db: deps.database,
            verifier: Verifier::new(Arc::clone(&keyring), deps.clock.clone()),
            keyring,
            passwords: Hasher::start(),
            mail,
            limits: Limits::new(&config.limits, deps.clock.clone()),
            clock: deps.clock,
            config: Arc::new(config),
        })
    }

    /// A connection.
    pub(crate) async fn client(&self) -> Result<Client, DbError> {
        self.db.client().await
    }
}
