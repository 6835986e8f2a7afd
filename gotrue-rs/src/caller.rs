//! Who is asking: the bearer token, its user and its session.
//!
//! Mirrors upstream's `internal/api/auth.go`.

use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use platform::jwt::{Claims, VerifiedToken};
use platform::pg::Tx;
use serde_json::Value;
use uuid::Uuid;

use crate::call::Call;
use crate::db;
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::sessions::validity::{self, Validity};
use crate::state::State;

/// A signed-in user.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) user: User,
    /// `None` if the token names no session.
    pub(crate) session: Option<Session>,
    token: Arc<VerifiedToken>,
}

impl Caller {
    /// The user behind a bearer token.
    pub(crate) async fn authenticate(state: &State, token: Option<&str>) -> Result<Self, Error> {
        let token = verify(state, token)?;
        let (user, session) = load_allowed(state, &token.claims).await?;
        Ok(Self {
            user,
            session,
            token,
        })
    }

    /// Locks the caller's account and looks once more whether he may change it: between the head of his
    /// request and the end of its body he may have been signed out, banned or deleted.
    pub(crate) async fn hold(&self, state: &State, tx: &Tx<'_>) -> Result<User, Error> {
        let user = db::users::hold(tx, self.user.id).await?;
        let user = user.ok_or(Refusal::UserGone)?;
        if user.is_banned(state.clock.now()) {
            return Err(Refusal::Banned.into());
        }
        match &self.session {
            Some(session) if !db::sessions::exists(tx, session.id).await? => {
                Err(Refusal::SessionGone.into())
            }
            _ => Ok(user),
        }
    }

    /// What the token says.
    pub(crate) fn claims(&self) -> &Claims {
        &self.token.claims
    }

    /// Whether the token was made for the audience the request is about.
    pub(crate) fn is_of_audience(&self, audience: &str) -> bool {
        self.claims().aud.first().is_some_and(|aud| aud == audience)
    }
}

/// A signed-in user who is not anonymous.
#[derive(Debug)]
pub(crate) struct Named(Caller);

impl Named {
    /// The user behind a bearer token, if it has a name.
    pub(crate) async fn authenticate(state: &State, token: Option<&str>) -> Result<Self, Error> {
        let caller = Caller::authenticate(state, token).await?;
        if caller.claims().is_anonymous {
            return Err(Refusal::Nameless.into());
        }
        Ok(Self(caller))
    }
}

impl Deref for Named {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

/// Somebody who may use the admin routes.
#[derive(Debug)]
pub(crate) struct Admin {
    pub(crate) role: String,
    token: Arc<VerifiedToken>,
}

impl Admin {
    /// The admin behind a bearer token.
    pub(crate) async fn authenticate(state: &State, token: Option<&str>) -> Result<Self, Error> {
        let token = verify(state, token)?;
        if session_claim(&token.claims).is_some() {
            let (user, session) = load_allowed(state, &token.claims).await?;
            let now = state.clock.now();
            let lapsed = session.is_some_and(|session| {
                validity::check(&state.config.sessions, &session, &user, None, now)
                    != Validity::Valid
            });
            if lapsed {
                return Err(Refusal::SessionLapsed.into());
            }
        }
        match token.claims.role.clone() {
            Some(role) if state.config.jwt.is_admin_role(Some(&role)) => Ok(Self { role, token }),
            _ => Err(Refusal::NotAdmin.into()),
        }
    }

    /// What the token says.
    pub(crate) fn claims(&self) -> &Claims {
        &self.token.claims
    }

    /// The actor the audit log names.
    pub(crate) fn actor(&self) -> User {
        User {
            role: self.role.clone(),
            email: self.role.clone(),
            ..User::default()
        }
    }
}

/// Whether a request shows no token that names a user or is the backend's. One that was revoked
/// still counts as the user's.
pub(crate) fn is_stranger(state: &State, token: Option<&str>) -> bool {
    !verify(state, token).is_ok_and(|token| {
        let Claims { sub, role, .. } = &token.claims;
        sub.is_some() || state.config.jwt.is_admin_role(role.as_deref())
    })
}

/// Whether the project's own backend is asking, which answers for its users itself.
pub(crate) fn is_backend(state: &State, call: &Call) -> bool {
    verify(state, call.bearer())
        .is_ok_and(|token| state.config.jwt.is_admin_role(token.claims.role.as_deref()))
}

/// The verified token of a request.
fn verify(state: &State, token: Option<&str>) -> Result<Arc<VerifiedToken>, Refusal> {
    let verified = state.verifier.verify(token.ok_or(Refusal::NoToken)?);
    let verified = verified.map_err(|error| Refusal::Token(error.to_string()))?;
    match mistyped(&verified.claims) {
        Some(name) => Err(Refusal::Token(format!(
            "token is malformed: the claim {name} is of the wrong kind"
        ))),
        None => Ok(verified),
    }
}

/// The first claim of the wrong kind, which a typed decoder would never let in.
fn mistyped(claims: &Claims) -> Option<&'static str> {
    type Kind = fn(&Value) -> bool;
    const TEXTS: [&str; 10] = [
        "sub",
        "iss",
        "email",
        "phone",
        "role",
        "aal",
        "session_id",
        "client_id",
        "scope",
        "jti",
    ];
    const OTHERS: [(&str, Kind); 5] = [
        ("app_metadata", Value::is_object),
        ("user_metadata", Value::is_object),
        ("amr", Value::is_array),
        ("is_anonymous", Value::is_boolean),
        ("aud", is_audience),
    ];
    let texts = TEXTS
        .into_iter()
        .map(|name| (name, Value::is_string as Kind));
    let misfits = |(name, fits): &(&str, Kind)| {
        let value = claims.all.get(*name);
        value.is_some_and(|value| !value.is_null() && !fits(value))
    };
    texts.chain(OTHERS).find(misfits).map(|(name, _)| name)
}

fn is_audience(value: &Value) -> bool {
    let texts = |items: &Vec<Value>| items.iter().all(Value::is_string);
    value.is_string() || value.as_array().is_some_and(texts)
}

fn session_claim(claims: &Claims) -> Option<&str> {
    let nil = "00000000-0000-0000-0000-000000000000";
    claims
        .session_id
        .as_deref()
        .filter(|id| !id.is_empty() && *id != nil)
}

/// The user and the session a token names, unless the user is banned.
async fn load_allowed(state: &State, claims: &Claims) -> Result<(User, Option<Session>), Error> {
    let (user, session) = load(state, claims).await?;
    if user.is_banned(state.clock.now()) {
        return Err(Refusal::Banned.into());
    }
    Ok((user, session))
}

async fn load(state: &State, claims: &Claims) -> Result<(User, Option<Session>), Error> {
    let sub = claims.sub.as_deref().filter(|sub| !sub.is_empty());
    let sub = sub.ok_or(Refusal::Claim("missing sub claim"))?;
    let user_id = Uuid::parse_str(sub).map_err(|_| Refusal::Subject)?;
    let session_id = session_claim(claims).map(Uuid::parse_str);
    let wanted = session_id.as_ref().and_then(|id| id.as_ref().ok().copied());
    let client = state.client().await?;
    let found = db::callers::find(&client, user_id, wanted).await?;
    let (user, session) = found.ok_or(Refusal::UserGone)?;
    match session_id {
        Some(Err(_)) => Err(Refusal::Claim("session_id claim must be a UUID").into()),
        Some(Ok(_)) if session.is_none() => Err(Refusal::SessionGone.into()),
        _ => Ok((user, session)),
    }
}

/// Upstream counts a session as recent for this long.
pub(crate) fn is_recent(session: &Session, now: Timestamp) -> bool {
    now.duration_since(session.created_at) <= jiff::SignedDuration::from_hours(24)
}
