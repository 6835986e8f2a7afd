//! What every request shares.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use platform::jwt::{KeyError, Keyring, Verifier};
use platform::mail::Mailer;
use platform::pg::{Client, Database, DbError};
use platform::service::Tasks;

use crate::accounts::password::Hasher;
use crate::config::Config;
use crate::db;
use crate::limits::{AskedLately, Limits};
use crate::mail::{self, Post};
use crate::otp::CodeKey;

/// How often mails whose sender died are looked for.
const OUTBOX_ROUND: Duration = Duration::from_secs(15);

/// How long what belongs to a code is kept at least.
const FORGETTING: SignedDuration = SignedDuration::from_hours(24);

/// What the service needs from outside.
pub struct Deps {
    /// The database holding the `auth` schema, reached as `supabase_auth_admin`.
    pub database: Database,
    /// What checks tokens.
    pub verifier: Verifier,
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
    pub(crate) codes: CodeKey,
    pub(crate) mail: Post,
    pub(crate) limits: Limits,
    pub(crate) asked: AskedLately,
}

impl State {
    /// Builds the state; fails if the signing keys cannot be used.
    pub fn new(config: Config, deps: Deps) -> Result<Self, KeyError> {
        let keyring = Arc::new(config.jwt.keyring()?);
        let mail = mail::post_office(&config, deps.mailer, deps.clock.clone())?;
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
            config: Arc::new(config),
        })
    }

    /// Sends mails that processes which died left behind, and forgets what is old, until the end.
    pub(crate) fn tend_outbox(&self, tasks: &Tasks) {
        let state = self.clone();
        tasks.repeat(OUTBOX_ROUND, move || {
            let state = state.clone();
            async move {
                if let Err(error) = state.send_left_over_mails().await {
                    tracing::warn!(%error, "Mails from before could not be looked for");
                }
                if let Err(error) = state.forget_old_codes().await {
                    tracing::warn!(%error, "Old codes could not be forgotten");
                }
            }
        });
    }

    /// Mails that processes which died left behind: each is sent once more, by one process.
    pub async fn send_left_over_mails(&self) -> Result<usize, Box<dyn Error + Send + Sync>> {
        Ok(mail::send_left_over(self).await?)
    }

    /// What belongs to codes is kept as long as any of them may live.
    pub async fn forget_old_codes(&self) -> Result<(), DbError> {
        let messages = SignedDuration::try_from(self.config.sms.otp_exp);
        let lifetime = self.config.mail.otp_lifetime.max(FORGETTING);
        let lifetime = lifetime.max(messages.unwrap_or(SignedDuration::MAX));
        let before = self.clock.now().saturating_sub(lifetime);
        let before = before.unwrap_or(Timestamp::MIN);
        let client = self.client().await?;
        db::code_tries::delete_old(&client, before).await?;
        db::code_data::delete_old(&client, before).await
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
