//! How long sessions last.

use std::time::Duration;

use platform::env::Reader;

/// Limits on sessions; unset or zero is no limit.
#[derive(Debug)]
pub(crate) struct SessionsConfig {
    /// `GOTRUE_SESSIONS_TIMEBOX`: since sign-in.
    pub(crate) timebox: Option<Duration>,
    /// `GOTRUE_SESSIONS_INACTIVITY_TIMEOUT`: since the last refresh.
    pub(crate) inactivity_timeout: Option<Duration>,
    /// `GOTRUE_SESSIONS_ALLOW_LOW_AAL`: without the second factor a user has.
    pub(crate) allow_low_aal: Option<Duration>,
    /// `GOTRUE_SESSIONS_SINGLE_PER_USER` (default false): only the newest per tag is refreshed.
    pub(crate) single_per_user: bool,
    /// `GOTRUE_SESSIONS_TAGS` (default none): labels that sessions may carry; the first is the default.
    pub(crate) tags: Vec<String>,
}

impl SessionsConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let limit = |name: &str| {
            let limit = env.optional_duration(name);
            if limit.is_some_and(|limit| limit.is_zero()) {
                env.problem(name, "must be positive when set");
            }
            limit
        };
        Self {
            timebox: limit("GOTRUE_SESSIONS_TIMEBOX"),
            inactivity_timeout: limit("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT"),
            allow_low_aal: limit("GOTRUE_SESSIONS_ALLOW_LOW_AAL"),
            single_per_user: env.bool("GOTRUE_SESSIONS_SINGLE_PER_USER", false),
            tags: env.list("GOTRUE_SESSIONS_TAGS"),
        }
    }
}
