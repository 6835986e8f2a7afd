//! Access tokens: what they say and for how long.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::accounts::metadata;
use crate::config::Config;
use crate::db::users::User;
use crate::error::Error;
use crate::json::{self, Document};
use crate::state::State;

/// One entry of `amr`.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Amr {
    pub(super) method: String,
    pub(super) timestamp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) provider: Option<String>,
}

impl Amr {
    /// A method used by `user`; single sign-on names the provider if there is but one identity.
    pub(super) fn new(method: &str, at: Timestamp, user: &User) -> Self {
        let provider = match user.identities() {
            [only] if method == "sso/saml" => only.provider.strip_prefix("sso:"),
            _ => None,
        };
        Self {
            method: method.to_owned(),
            timestamp: at.as_second(),
            provider: provider.map(str::to_owned),
        }
    }
}

/// The session a token is made for.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) user: &'a User,
    pub(super) session_id: Uuid,
    pub(super) session_created_at: Timestamp,
    pub(super) amr: Vec<Amr>,
    pub(super) client_id: Option<Uuid>,
    pub(super) scope: Option<&'a str>,
}

#[derive(Serialize)]
struct Claims<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    iss: &'a str,
    sub: Uuid,
    aud: &'a str,
    exp: i64,
    iat: i64,
    email: &'a str,
    phone: &'a str,
    app_metadata: &'a Document,
    user_metadata: &'a Document,
    role: &'a str,
    aal: &'a str,
    #[serde(skip_serializing_if = "<[Amr]>::is_empty")]
    amr: &'a [Amr],
    session_id: Uuid,
    is_anonymous: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
}

/// A signed token and when it expires, Unix seconds.
pub(super) fn sign(
    state: &State,
    subject: &Subject<'_>,
    now: Timestamp,
) -> Result<(String, i64), Error> {
    let mut amr = subject.amr.clone();
    amr.sort_by_key(|entry| std::cmp::Reverse(entry.timestamp));
    let is_aal2 = amr
        .iter()
        .any(|entry| matches!(entry.method.as_str(), "totp" | "mfa/phone" | "mfa/webauthn"));
    let exp = expiry(&state.config, subject, is_aal2, now).as_second();
    let user = subject.user;
    let nothing = Document::default();
    let claims = json::to_string(&Claims {
        iss: &state.config.jwt.issuer,
        sub: user.id,
        aud: &user.aud,
        exp,
        iat: now.as_second(),
        email: &user.email,
        phone: &user.phone,
        app_metadata: &user.app_metadata,
        user_metadata: if metadata::fits(&user.user_metadata) {
            &user.user_metadata
        } else {
            // Stored before there was a bound: a token that no server takes would lock its
            // user out, who could not even shorten it.
            &nothing
        },
        role: &user.role,
        aal: if is_aal2 { "aal2" } else { "aal1" },
        amr: &amr,
        session_id: subject.session_id,
        is_anonymous: user.is_anonymous,
        client_id: subject.client_id,
        scope: subject.scope.filter(|scope| !scope.is_empty()),
    });
    let failed = Error::saying("error generating jwt token");
    let claims =
        RawValue::from_string(claims).map_err(|error| Error::Unexpected(Box::new(error)))?;
    let token = state.keyring.sign(&claims).map_err(failed)?;
    Ok((token, exp))
}

/// A session that lacks the second factor its user has may be given less time.
fn expiry(config: &Config, subject: &Subject<'_>, is_aal2: bool, now: Timestamp) -> Timestamp {
    let later = |from: Timestamp, by: std::time::Duration| {
        SignedDuration::try_from(by)
            .ok()
            .and_then(|by| from.checked_add(by).ok())
            .unwrap_or(from)
    };
    let regular = later(now, config.jwt.exp);
    match config.sessions.allow_low_aal {
        Some(limit) if !is_aal2 && subject.user.has_mfa() => {
            regular.min(later(subject.session_created_at, limit))
        }
        _ => regular,
    }
}
