//! What an admin says about a user.

use jiff::{SignedDuration, Timestamp};
use platform::env::parse_duration;
use serde::Deserialize;

use crate::db::user_changes::Ban;
use crate::error::Error;
use crate::json::Document;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AdminUserBody {
    pub(super) id: String,
    pub(super) aud: String,
    pub(super) role: String,
    pub(super) email: String,
    pub(super) phone: String,
    pub(super) password: Option<String>,
    pub(super) password_hash: String,
    pub(super) email_confirm: bool,
    pub(super) phone_confirm: bool,
    pub(super) user_metadata: Option<Document>,
    pub(super) app_metadata: Option<Document>,
    pub(super) ban_duration: String,
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
    Error::invalid(format!(
        "invalid format for ban duration: time: {} duration {text:?}",
        flaw(text)
    ))
}

/// What Go says is wrong with a duration.
fn flaw(text: &str) -> String {
    let mut rest = text.trim_start_matches(['+', '-']);
    while !rest.is_empty() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let number = rest.len() - rest.trim_start_matches(is_number).len();
        if !rest[..number].contains(|c: char| c.is_ascii_digit()) {
            return "invalid".to_owned();
        }
        let tail = &rest[number..];
        let unit = &tail[..tail.find(is_number).unwrap_or(tail.len())];
        match unit {
            "" => return "missing unit in".to_owned(),
            "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h" => {}
            unknown => return format!("unknown unit {unknown:?} in"),
        }
        rest = &tail[unit.len()..];
    }
    "invalid".to_owned()
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
        for (text, flaw) in [
            ("long", "invalid duration \"long\""),
            ("5", "missing unit in duration \"5\""),
            (
                "24 hours",
                "unknown unit \" hours\" in duration \"24 hours\"",
            ),
            ("1d", "unknown unit \"d\" in duration \"1d\""),
            ("-", "invalid duration \"-\""),
        ] {
            let error = ban(text, now).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("invalid format for ban duration: time: {flaw}")
            );
        }
    }
}
