//! What an admin says about a user.

use jiff::{SignedDuration, Timestamp};
use platform::env::parse_duration;

use crate::db::user_changes::Ban;
use crate::error::{Error, ErrorCode};
use crate::json::{self, Document};

json::body! {
    pub(super) struct AdminUserBody as "AdminUserParams" {
        id: String,
        aud: String,
        role: String,
        email: String,
        phone: String,
        password: Option<String>,
        password_hash: String,
        email_confirm: bool,
        phone_confirm: bool,
        user_metadata: Option<Document>,
        app_metadata: Option<Document>,
        ban_duration: String,
    }
}

/// How long a ban lasts; nothing leaves it as it is, `none` lifts it.
pub(super) fn ban(duration: &str, now: Timestamp) -> Result<Ban, Error> {
    match duration {
        "" => Ok(Ban::Unchanged),
        "none" => Ok(Ban::Lifted),
        text => {
            let (negative, magnitude) = match text.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, text.strip_prefix('+').unwrap_or(text)),
            };
            let parsed = parse_duration(magnitude)
                .and_then(|duration| SignedDuration::try_from(duration).ok())
                .ok_or_else(|| invalid(text))?;
            if parsed.is_zero() {
                return Ok(Ban::Lifted);
            }
            let length = if negative { -parsed } else { parsed };
            Ok(Ban::Until(
                now.saturating_add(length).unwrap_or(Timestamp::MAX),
            ))
        }
    }
}

fn invalid(text: &str) -> Error {
    Error::bad_request(
        ErrorCode::ValidationFailed,
        format!("invalid format for ban duration: time: invalid duration {text:?}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bans_last_as_long_as_they_say() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(ban("", now).unwrap(), Ban::Unchanged);
        assert_eq!(ban("none", now).unwrap(), Ban::Lifted);
        assert_eq!(ban("0s", now).unwrap(), Ban::Lifted);
        let hours = now + SignedDuration::from_hours(24);
        assert_eq!(ban("24h", now).unwrap(), Ban::Until(hours));
        let text = ban("24 hours", now).unwrap_err().to_string();
        assert_eq!(
            text,
            "invalid format for ban duration: time: invalid duration \"24 hours\""
        );
    }
}
