//! Whether a session may still be refreshed. Mirrors upstream's `internal/models/sessions.go`.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::config::SessionsConfig;
use crate::db::sessions::Session;
use crate::db::users::User;

/// The verdict on a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validity {
    Valid,
    /// Past its end or its timebox.
    Expired,
    /// Not refreshed for too long.
    Inactive,
    /// Too long without the second factor its user has.
    LowAal,
}

/// Checks a session. `token_time` is when its refresh token was last written, which stands in
/// for a session that was never refreshed.
pub(crate) fn check(
    config: &SessionsConfig,
    session: &Session,
    user: &User,
    token_time: Option<Timestamp>,
    now: Timestamp,
) -> Validity {
    let outlived = |since: Timestamp, limit: Option<Duration>| {
        limit
            .and_then(|limit| SignedDuration::try_from(limit).ok())
            .is_some_and(|limit| now.duration_since(since) > limit)
    };
    if session.not_after.is_some_and(|end| now > end)
        || outlived(session.created_at, config.timebox)
    {
        return Validity::Expired;
    }
    if outlived(
        last_refreshed(session, token_time),
        config.inactivity_timeout,
    ) {
        return Validity::Inactive;
    }
    let is_low = user.has_mfa() && session.aal.as_deref().unwrap_or("aal1") < "aal2";
    if is_low && outlived(session.created_at, config.allow_low_aal) {
        return Validity::LowAal;
    }
    Validity::Valid
}

/// When a session was last used.
pub(crate) fn last_refreshed(session: &Session, token_time: Option<Timestamp>) -> Timestamp {
    session
        .refreshed_at
        .or_else(|| token_time.filter(|time| *time > session.created_at))
        .unwrap_or(session.created_at)
}

/// The tag that counts for a session: its own if it is configured, else the first one.
pub(crate) fn tag<'a>(config: &'a SessionsConfig, session: &'a Session) -> &'a str {
    let first = config.tags.first().map_or("", String::as_str);
    session
        .tag
        .as_deref()
        .filter(|tag| config.tags.iter().any(|known| known == tag))
        .unwrap_or(first)
}

#[cfg(test)]
mod tests;
