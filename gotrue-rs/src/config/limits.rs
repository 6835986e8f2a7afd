//! Rate limits.

use std::time::Duration;

use platform::env::{Reader, parse_duration};

/// A number of events: per hour, or as a bucket that refills one at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    PerHour(f64),
    Refill { burst: u32, every: Duration },
}

impl Rate {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Ok(events) = text.parse() {
            return Some(Self::PerHour(events));
        }
        let (burst, every) = text.split_once('/')?;
        Some(Self::Refill {
            burst: burst.parse().ok()?,
            every: parse_duration(every)?,
        })
    }

    /// Whether nothing may ever be sent.
    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::PerHour(events) => events == 0.0,
            Self::Refill { burst, .. } => burst == 0,
        }
    }
}

/// All rate limits.
#[derive(Debug, Clone)]
pub(crate) struct LimitsConfig {
    /// `GOTRUE_RATE_LIMIT_HEADER`: the header that holds the client's address.
    pub(crate) header: Option<String>,
    /// `GOTRUE_RATE_LIMIT_OTP` per five minutes.
    pub(crate) otp: f64,
    /// `GOTRUE_RATE_LIMIT_TOKEN_REFRESH` per five minutes.
    pub(crate) token: f64,
    /// `GOTRUE_RATE_LIMIT_VERIFY` per five minutes.
    pub(crate) verify: f64,
    /// `GOTRUE_RATE_LIMIT_ANONYMOUS_USERS` (default 30): anonymous sign-ups per hour and address.
    pub(crate) anonymous: f64,
    /// `GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY` (default 15): codes of second factors per
    /// minute and address.
    pub(crate) factors: f64,
    /// `GOTRUE_RATE_LIMIT_MAIL_REQUESTS` (default 0: no limit; `wildfire` in production: 30):
    /// requests that mail, on whatever route, per hour and address; twice as many from an IPv6
    /// /48.
    pub(crate) mail_requests: f64,
    /// `GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT` (default 5; 0 is no limit; `wildfire` in
    /// development: 0): mails to one address in five minutes, whoever asks for them; four times
    /// as many in a day. One client gets two fifths of them.
    pub(crate) mails_per_recipient: usize,
    /// `GOTRUE_RATE_LIMIT_EMAIL_SENT` (default 30): requests for mails on the whole server, per
    /// hour or as `events/duration`; the last quarter is kept for the secret key, signed-in users
    /// and clients from where somebody has signed in within 30 days, a fifth of it for each.
    pub(crate) mails: Rate,
}

impl LimitsConfig {
    /// Reads all settings.
    pub(crate) fn from_env(env: &Reader<'_>) -> Self {
        let mails = env.string_or("GOTRUE_RATE_LIMIT_EMAIL_SENT", "30");
        Self {
            header: env.string("GOTRUE_RATE_LIMIT_HEADER"),
            otp: env.number("GOTRUE_RATE_LIMIT_OTP", 30.0),
            token: env.number("GOTRUE_RATE_LIMIT_TOKEN_REFRESH", 150.0),
            verify: env.number("GOTRUE_RATE_LIMIT_VERIFY", 30.0),
            anonymous: env.number("GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", 30.0),
            mail_requests: env.number("GOTRUE_RATE_LIMIT_MAIL_REQUESTS", 0.0),
            mails_per_recipient: env.number("GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT", 5),
            factors: env.number("GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY", 15.0),
            mails: Rate::parse(&mails).unwrap_or_else(|| {
                env.problem(
                    "GOTRUE_RATE_LIMIT_EMAIL_SENT",
                    "must be a number or events/duration",
                );
                Rate::PerHour(30.0)
            }),
        }
    }
}
