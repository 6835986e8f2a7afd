//! Trading a refresh token for a new access token.
//!
//! Two flights: a snapshot without locks, then one statement that takes the rows only if they
//! are free and unchanged, and writes. A refresh that finds them taken waits here, not in the
//! database, so that waiting costs no connection. Mirrors upstream's
//! `internal/tokens/service.go`.

mod counters;
mod rows;

pub(super) use counters::key as session_key;

use std::time::{Duration, Instant};

use jiff::Timestamp;
use platform::pg::{Executor, RetryHint as _};
use uuid::Uuid;

use super::access_token::{self, Amr, Subject};
use super::issue::SessionTokens;
use super::refresh_token::{self, Parsed};
use super::validity::{self, Validity};
use crate::audit::Entry;
use crate::call::Call;
use crate::db;
use crate::db::refresh_tokens::{Snapshot, Use};
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::error::Error;
use crate::refusal::{RefreshRefusal, Refusal};
use crate::state::State;

/// How long a refresh waits for others of the same session.
const PATIENCE: Duration = Duration::from_secs(5);

/// A refreshed session.
#[derive(Debug)]
pub(crate) struct Refreshed {
    pub(crate) user: User,
    pub(crate) issued: SessionTokens,
}

/// What one attempt came to; `None` means that somebody else was at it.
type Attempt = Result<Option<Refreshed>, Error>;

/// The surroundings of one refresh.
struct Refresh<'a> {
    state: &'a State,
    call: &'a Call,
    token: &'a Parsed,
    client_id: Option<Uuid>,
    now: Timestamp,
}

/// Refreshes the session a token belongs to. `client_id` names the OAuth client that asks.
pub(crate) async fn refresh(
    state: &State,
    call: &Call,
    token: &str,
    client_id: Option<Uuid>,
) -> Result<Refreshed, Error> {
    let token = refresh_token::parse(token);
    let token = token.ok_or_else(|| Refusal::invalid("Refresh token is not valid"))?;
    let started = Instant::now();
    let now = state.clock.now();
    let refresh = Refresh {
        state,
        call,
        token: &token,
        client_id,
        now,
    };
    while started.elapsed() < PATIENCE {
        if let Some(refreshed) = refresh.attempt().await? {
            return Ok(refreshed);
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(10..30))).await;
    }
    Err(Refusal::RefreshCrowd.into())
}

fn refused(reason: RefreshRefusal) -> Error {
    Refusal::Refresh(reason).into()
}

impl Refresh<'_> {
    async fn attempt(&self) -> Attempt {
        if !self.state.config.sessions.single_per_user {
            let client = self.state.client().await?;
            return match self.attempt_on(&client).await {
                // A change of password takes the same rows in another order.
                Err(error) if error.is_retryable() => Ok(None),
                attempt => attempt,
            };
        }
        // A refusal is committed along with what it revoked.
        let attempt = async |tx: &platform::pg::Tx<'_>| Ok(self.attempt_on(tx).await);
        self.state
            .db
            .transaction::<_, Error>("refresh", attempt)
            .await?
    }

    async fn attempt_on(&self, db: &impl Executor) -> Attempt {
        let snapshot = match self.token {
            Parsed::Row(token) => db::refresh_tokens::snapshot(db, token).await,
            Parsed::Counter(token) => {
                db::refresh_tokens::snapshot_of_session(db, token.session_id).await
            }
        };
        let snapshot = snapshot.map_err(Error::saying("Database error finding refresh token"))?;
        let unknown = || refused(RefreshRefusal::Unknown);
        let Snapshot {
            user,
            token,
            session,
        } = snapshot.ok_or_else(unknown)?;
        if let Parsed::Counter(counter) = self.token {
            let key = session.as_ref().and_then(counters::key);
            if !key.is_some_and(|key| counter.is_signed_by(&key)) {
                return Err(unknown());
            }
        }
        let user_header = ("sb-auth-user-id", user.id.to_string());
        let with_user = |error: Error| error.with_header(user_header.0, user_header.1.clone());
        if user.is_banned(self.now) {
            return Err(with_user(refused(RefreshRefusal::Banned)));
        }
        let Some(session) = session else {
            if let Some(token) = token {
                db::refresh_tokens::delete(db, token.id).await?;
            }
            return Err(with_user(refused(RefreshRefusal::NoSession)));
        };
        let session_id = session.id.to_string();
        let outcome = self.refresh_session(db, &user, token, &session).await;
        outcome.map_err(|error| with_user(error).with_header("sb-auth-session-id", session_id))
    }

    async fn refresh_session(
        &self,
        db: &impl Executor,
        user: &User,
        token: Option<db::refresh_tokens::RefreshToken>,
        session: &Session,
    ) -> Attempt {
        let token_time = token.as_ref().map(|token| token.updated_at);
        self.check_validity(user, session, token_time)?;
        self.check_client(session)?;
        if self.state.config.sessions.single_per_user {
            if !db::refresh_tokens::lock_user(db, user.id).await? {
                return Ok(None);
            }
            self.check_newest(db, user, session, token_time).await?;
        }
        match (self.token, token) {
            (Parsed::Row(_), Some(token)) => rows::refresh(self, db, user, &token, session).await,
            (Parsed::Counter(token), _) => counters::refresh(self, db, user, token, session).await,
            (Parsed::Row(_), None) => Ok(None),
        }
    }

    fn check_validity(
        &self,
        user: &User,
        session: &Session,
        token_time: Option<Timestamp>,
    ) -> Result<(), Error> {
        let sessions = &self.state.config.sessions;
        let text = match validity::check(sessions, session, user, token_time, self.now) {
            Validity::Valid => return Ok(()),
            Validity::Expired => "",
            Validity::Inactive => " (Inactivity)",
            Validity::LowAal => " (Low AAL: User Needs MFA Verification)",
        };
        Err(refused(RefreshRefusal::Expired(text)))
    }

    /// A session of an OAuth client is refreshed by that client and nobody else.
    fn check_client(&self, session: &Session) -> Result<(), Error> {
        let owner = session.oauth_client_id.filter(|id| !id.is_nil());
        let text = match (owner, self.client_id) {
            (Some(owner), Some(client)) if owner == client => return Ok(()),
            (None, None) => return Ok(()),
            (Some(_), None) => "Client authentication required for OAuth session",
            (Some(_), Some(_)) => "Client does not match the session's OAuth client",
            (None, Some(_)) => "Client authentication not allowed for non-OAuth session",
        };
        Err(Error::oauth("invalid_client", text))
    }

    /// Only the session that was used last is refreshed, among those of its tag.
    async fn check_newest(
        &self,
        db: &impl Executor,
        user: &User,
        session: &Session,
        token_time: Option<Timestamp>,
    ) -> Result<(), Error> {
        let config = &self.state.config.sessions;
        let used = validity::last_refreshed(session, token_time);
        let newer = |other: &Session| {
            other.id != session.id
                && validity::check(config, other, user, None, self.now) == Validity::Valid
                && validity::tag(config, other) == validity::tag(config, session)
                && validity::last_refreshed(other, None) > used
        };
        if db::sessions::of_user(db, user.id).await?.iter().any(newer) {
            let newer = RefreshRefusal::Expired(" (Revoked by Newer Login)");
            return Err(refused(newer));
        }
        Ok(())
    }

    /// This use of the session.
    fn used<'u>(&'u self, entries: &'u [Entry]) -> Use<'u> {
        Use {
            now: self.now,
            user_agent: self.call.user_agent.as_deref(),
            ip: self.call.client_ip.as_deref(),
            entries,
        }
    }

    /// The events to store along with the refresh; all of them are logged.
    fn stored(&self, entries: Vec<Entry>) -> Vec<Entry> {
        for entry in &entries {
            entry.log();
        }
        if self.state.config.audit_in_database {
            entries
        } else {
            Vec::new()
        }
    }

    fn sign(&self, user: &User, session: &Session) -> Result<(String, i64), Error> {
        let amr = session
            .amr
            .iter()
            .map(|claim| Amr::new(&claim.method, claim.at, user))
            .collect();
        let subject = Subject {
            user,
            session_id: session.id,
            session_created_at: session.created_at,
            amr,
            client_id: session.oauth_client_id.filter(|id| !id.is_nil()),
            scope: session.scopes.as_deref(),
        };
        access_token::sign(self.state, &subject, self.now)
    }

    fn done(&self, user: User, session: &Session, tokens: Tokens) -> Refreshed {
        let mut headers = tokens.headers;
        headers.push(("sb-auth-user-id", user.id.to_string()));
        headers.push(("sb-auth-session-id", session.id.to_string()));
        let issued = SessionTokens::new(tokens.access, tokens.refresh, headers, self.now);
        Refreshed { user, issued }
    }
}

/// What a refresh yields.
struct Tokens {
    access: (String, i64),
    refresh: String,
    headers: Vec<(&'static str, String)>,
}
