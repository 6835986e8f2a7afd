//! What a verified token says.

use serde_json::{Map, Value};

/// The claims Wildfire's services act on; the rest is kept in [`Claims::all`].
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// The user's id as the token gives it; not necessarily a UUID.
    pub sub: Option<String>,
    /// The Postgres role to act as.
    pub role: Option<String>,
    /// Audiences; a single string counts as one.
    pub aud: Vec<String>,
    /// Expiry, Unix seconds.
    pub exp: Option<i64>,
    /// Not valid before, Unix seconds.
    pub nbf: Option<i64>,
    /// The session the token belongs to.
    pub session_id: Option<String>,
    /// Authenticator assurance level, `aal1` to `aal3`.
    pub aal: Option<String>,
    /// The user's email address when the token was made.
    pub email: Option<String>,
    /// Whether the user signed in anonymously.
    pub is_anonymous: bool,
    /// Every claim as it stands in the token.
    pub all: Map<String, Value>,
}

impl Claims {
    /// Reads claims out of a token's JSON object; `None` if a time is not a number.
    pub fn from_object(all: Map<String, Value>) -> Option<Self> {
        let text = |name: &str| all.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            sub: text("sub"),
            role: text("role"),
            aud: audiences(all.get("aud")),
            exp: seconds(all.get("exp"))?,
            nbf: seconds(all.get("nbf"))?,
            session_id: text("session_id"),
            aal: text("aal"),
            email: text("email"),
            is_anonymous: all
                .get("is_anonymous")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            all,
        })
    }
}

fn audiences(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(many)) => many
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// `Some(None)` if absent, `None` if present and not a number.
#[expect(
    clippy::option_option,
    reason = "absent and malformed are different answers"
)]
fn seconds(value: Option<&Value>) -> Option<Option<i64>> {
    match value {
        None | Some(Value::Null) => Some(None),
        Some(Value::Number(number)) => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "`as` saturates, which is meant"
            )]
            let whole = number
                .as_i64()
                .or_else(|| number.as_f64().map(|float| float as i64));
            Some(whole)
        }
        Some(_) => None,
    }
}

/// A token whose signature and times have been checked.
#[derive(Debug)]
pub struct VerifiedToken {
    /// What it says.
    pub claims: Claims,
    /// The claims as JSON text, for `request.jwt.claims`.
    pub json: String,
}
