//! Starting a session.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use platform::keys;
use platform::pg::Executor;
use serde::Serialize;
use uuid::Uuid;

use super::access_token::{self, Amr, Subject};
use super::method::AuthMethod;
use super::refresh_token;
use crate::audit::Entry;
use crate::call::Call;
use crate::config::RefreshTokens;
use crate::db;
use crate::db::identities::micros;
use crate::db::sessions::NewSession;
use crate::db::users::User;
use crate::error::Error;
use crate::state::State;

/// What a session gets besides its user.
#[derive(Debug, Default)]
pub(crate) struct Grant {
    pub(crate) factor_id: Option<Uuid>,
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) tag: Option<String>,
    /// The event to store along with the session.
    pub(crate) audit: Option<Entry>,
}

impl Grant {
    /// A plain session, with this event.
    pub(crate) fn audited(entry: Entry) -> Self {
        Self {
            audit: Some(entry),
            ..Self::default()
        }
    }
}

/// The tokens of a session, and the headers that tell which session it is.
#[derive(Debug)]
pub(crate) struct SessionTokens {
    pub(crate) access_token: String,
    /// Seconds from now.
    pub(crate) expires_in: i64,
    /// Unix seconds.
    pub(crate) expires_at: i64,
    pub(crate) refresh_token: String,
    pub(crate) provider_token: String,
    pub(crate) provider_refresh_token: String,
    pub(crate) password: PasswordVerdict,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// What the policy says about the password that was used.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum PasswordVerdict {
    /// No password was used; nothing is said.
    Unused,
    /// Upstream: writes null.
    Strong,
    /// It still works, but would not be accepted as a new one.
    Weak {
        message: String,
        reasons: Vec<&'static str>,
    },
}

impl PasswordVerdict {
    pub(crate) fn is_unused(&self) -> bool {
        matches!(self, Self::Unused)
    }
}

impl SessionTokens {
    pub(super) fn new(
        token: (String, i64),
        refresh_token: String,
        headers: Vec<(&'static str, String)>,
        now: Timestamp,
    ) -> Self {
        let (access_token, expires_at) = token;
        Self {
            access_token,
            expires_in: expires_at - now.as_second(),
            expires_at,
            refresh_token,
            provider_token: String::new(),
            provider_refresh_token: String::new(),
            password: PasswordVerdict::Unused,
            headers,
        }
    }
}

/// Signs `user` in: one statement stores the session, its refresh token, how the user
/// authenticated, the event and the time of sign-in.
#[expect(
    clippy::too_many_arguments,
    reason = "what a session consists of, and where to store it"
)]
pub(crate) async fn issue(
    state: &State,
    db: &impl Executor,
    call: &Call,
    user: &mut User,
    method: AuthMethod,
    grant: Grant,
) -> Result<SessionTokens, Error> {
    let now = state.clock.now();
    let session_id = Uuid::new_v4();
    user.last_sign_in_at = Some(now);
    let subject = Subject {
        user,
        session_id,
        session_created_at: now,
        amr: vec![Amr::new(method.as_str(), now, user)],
        client_id: None,
        scope: None,
    };
    let token = access_token::sign(state, &subject, now)?;
    let made = Made::new(state, session_id);
    let audit = grant.audit.filter(|entry| {
        entry.log();
        state.config.audit_in_database
    });
    let session = NewSession {
        id: session_id,
        user_id: user.id,
        not_after: grant.not_after,
        factor_id: grant.factor_id,
        user_agent: call.user_agent.as_deref(),
        ip: call.client_ip.as_deref(),
        tag: grant.tag.as_deref(),
        refresh_token: made.hmac_key.is_none().then_some(&made.token),
        hmac_key: made.hmac_key.as_deref(),
        method: method.as_str(),
        audit: audit.map(|entry| (entry.id, entry.payload)),
    };
    db::sessions::start(db, &session, now)
        .await
        .map_err(Error::saying("Database error granting user"))?;
    if method != AuthMethod::Anonymous {
        state.limits.note_sign_in(call);
    }
    user.updated_at = micros(now);
    let mut headers = vec![
        ("sb-auth-user-id", user.id.to_string()),
        ("sb-auth-session-id", session_id.to_string()),
    ];
    headers.push(made.header());
    Ok(SessionTokens::new(token, made.token, headers, now))
}

/// A session's first refresh token.
struct Made {
    token: String,
    hmac_key: Option<String>,
}

impl Made {
    fn new(state: &State, session_id: Uuid) -> Self {
        match state.config.security.refresh_tokens {
            RefreshTokens::Rows => Self {
                token: refresh_token::random(),
                hmac_key: None,
            },
            RefreshTokens::Counters { .. } => {
                let key = keys::random::<32>();
                Self {
                    token: refresh_token::encode(session_id, 0, &key),
                    hmac_key: Some(URL_SAFE_NO_PAD.encode(key)),
                }
            }
        }
    }

    fn header(&self) -> (&'static str, String) {
        match self.hmac_key {
            None => prefix_header(&self.token),
            Some(_) => counter_header(0),
        }
    }
}

/// Tells log readers which token it was without giving it away.
pub(super) fn prefix_header(token: &str) -> (&'static str, String) {
    (
        "sb-auth-refresh-token-prefix",
        token.chars().take(5).collect(),
    )
}

pub(super) fn counter_header(counter: i64) -> (&'static str, String) {
    ("sb-auth-refresh-token-counter", counter.to_string())
}
