//! Refresh tokens and what a change of password asks for.

use platform::env::Reader;

/// How refresh tokens are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefreshTokens {
    /// A row per token.
    Rows,
    /// A counter in the session. Sessions of the older kind are converted at refresh, in this
    /// many of a hundred cases.
    Counters { upgrade_percentage: u32 },
}

/// Security settings.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own"
)]
pub(crate) struct SecurityConfig {
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION` (default 0; 0 and 1 are rows, 2 is
    /// counters) and `GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE` (default 0).
    pub(crate) refresh_tokens: RefreshTokens,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED` (default true): reuse ends the session.
    pub(crate) rotation: bool,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` (default 0), seconds.
    pub(crate) reuse_interval: jiff::SignedDuration,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE` (default false; counters only).
    pub(crate) allow_reuse: bool,
    /// `GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION` (default false).
    pub(crate) require_reauthentication: bool,
    /// `GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD` (default false).
    pub(crate) require_current_password: bool,
    /// `GOTRUE_SECURITY_MANUAL_LINKING_ENABLED` (default false).
    pub(crate) manual_linking: bool,
    /// `GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED` (default false).
    pub(crate) sb_forwarded_for: bool,
}

impl SecurityConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let version: u32 = env.number("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", 0);
        if version > 2 {
            env.problem(
                "GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION",
                "must be 0, 1 or 2",
            );
        }
        let percentage = "GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE";
        let upgrade_percentage = env.number(percentage, 0);
        if upgrade_percentage > 100 {
            env.problem(percentage, "must be between 0 and 100");
        }
        let flag = |name: &str| env.bool(&format!("GOTRUE_SECURITY_{name}"), false);
        Self {
            refresh_tokens: if version == 2 {
                RefreshTokens::Counters { upgrade_percentage }
            } else {
                RefreshTokens::Rows
            },
            rotation: env.bool("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", true),
            reuse_interval: jiff::SignedDuration::from_secs(
                env.number("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", 0),
            ),
            allow_reuse: flag("REFRESH_TOKEN_ALLOW_REUSE"),
            require_reauthentication: flag("UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION"),
            require_current_password: flag("UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD"),
            manual_linking: flag("MANUAL_LINKING_ENABLED"),
            sb_forwarded_for: flag("SB_FORWARDED_FOR_ENABLED"),
        }
    }
}
