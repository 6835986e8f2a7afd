//! Second factors.

use platform::env::Reader;

/// Challenges and unverified factors live at least this long, seconds.
const SHORTEST_LIFE: f64 = 300.0;

/// Settings of second factors. Authenticator apps are the only kind that is built.
#[derive(Debug)]
pub(crate) struct MfaConfig {
    /// `GOTRUE_MFA_TOTP_ENROLL_ENABLED` (default true).
    pub(crate) totp_enroll: bool,
    /// `GOTRUE_MFA_TOTP_VERIFY_ENABLED` (default true).
    pub(crate) totp_verify: bool,
    /// `GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION` (default 300, the least), seconds.
    pub(crate) challenge_life: jiff::SignedDuration,
    /// `GOTRUE_MFA_FACTOR_EXPIRY_DURATION` (default 300s, the least): life of a factor that is
    /// never verified.
    pub(crate) factor_life: jiff::SignedDuration,
    /// `GOTRUE_MFA_MAX_ENROLLED_FACTORS` (default 10).
    pub(crate) max_enrolled: usize,
    /// `GOTRUE_MFA_MAX_VERIFIED_FACTORS` (default 10).
    pub(crate) max_verified: usize,
}

impl MfaConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        for kind in ["PHONE", "WEB_AUTHN"] {
            for step in ["ENROLL", "VERIFY"] {
                let name = format!("GOTRUE_MFA_{kind}_{step}_ENABLED");
                if env.bool(&name, false) {
                    tracing::warn!(variable = name, "Not part of this build yet: it stays off");
                }
            }
        }
        let challenge = env.number("GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION", SHORTEST_LIFE);
        let least = std::time::Duration::from_secs_f64(SHORTEST_LIFE);
        let factor = env
            .duration("GOTRUE_MFA_FACTOR_EXPIRY_DURATION", least)
            .max(least);
        Self {
            totp_enroll: env.bool("GOTRUE_MFA_TOTP_ENROLL_ENABLED", true),
            totp_verify: env.bool("GOTRUE_MFA_TOTP_VERIFY_ENABLED", true),
            challenge_life: jiff::SignedDuration::try_from_secs_f64(challenge.max(SHORTEST_LIFE))
                .unwrap_or(jiff::SignedDuration::from_mins(5)),
            factor_life: jiff::SignedDuration::try_from(factor).unwrap_or_default(),
            max_enrolled: env.number("GOTRUE_MFA_MAX_ENROLLED_FACTORS", 10),
            max_verified: env.number("GOTRUE_MFA_MAX_VERIFIED_FACTORS", 10),
        }
    }
}
