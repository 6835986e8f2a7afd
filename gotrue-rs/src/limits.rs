//! How often a client may ask, and how many mails this server sends.
//!
//! Mirrors upstream's `internal/api/apilimiter`, `middleware.go` and `internal/ratelimit`. All
//! counters live in memory, per process. Requests are limited only where a proxy names the
//! client: by `GOTRUE_RATE_LIMIT_HEADER` or, if enabled, `Sb-Forwarded-For`.

mod asked;
mod mails;
mod origin;
mod recipients;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use platform::clock::Clock;
use platform::env::Reader;

use crate::call::Call;
use crate::error::{Error, ErrorCode};

pub(crate) use asked::{Asked, AskedLately};
use mails::MailLimit;
pub(crate) use mails::Rate;
pub(crate) use origin::Origin;
use recipients::Recipients;

const MINUTE: f64 = 60.0;
const FIVE_MINUTES: f64 = 300.0;
const HOUR: Duration = Duration::from_hours(1);
/// So seldom that it never happens: the refill of a bucket whose rate is zero.
const NEVER: Duration = Duration::from_hours(24 * 365 * 10);
/// Forgotten clients are cleared out once per so many requests.
const SWEEP_EVERY: u32 = 4096;

/// What a request counts against. Each has its own buckets, also where they share a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bucket {
    Signups,
    Otp,
    MagicLink,
    Recover,
    Resend,
    User,
    Token,
    Verify,
    /// Everything that mails, on top of the route's own bucket.
    Mail,
    Anonymous,
    FactorVerify,
    FactorChallenge,
}

const BUCKETS: [Bucket; 12] = [
    Bucket::Signups,
    Bucket::Otp,
    Bucket::MagicLink,
    Bucket::Recover,
    Bucket::Resend,
    Bucket::User,
    Bucket::Token,
    Bucket::Verify,
    Bucket::Mail,
    Bucket::Anonymous,
    Bucket::FactorVerify,
    Bucket::FactorChallenge,
];

/// All rate limits.
#[derive(Debug, Clone)]
pub(crate) struct LimitsConfig {
    /// `GOTRUE_RATE_LIMIT_HEADER`: the header that holds the client's address.
    header: Option<String>,
    /// `GOTRUE_RATE_LIMIT_OTP` per five minutes.
    otp: f64,
    /// `GOTRUE_RATE_LIMIT_TOKEN_REFRESH` per five minutes.
    token: f64,
    /// `GOTRUE_RATE_LIMIT_VERIFY` per five minutes.
    verify: f64,
    /// `GOTRUE_RATE_LIMIT_ANONYMOUS_USERS` (default 30): anonymous sign-ups per hour and address.
    anonymous: f64,
    /// `GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY` (default 15): codes of second factors per
    /// minute and address.
    factors: f64,
    /// `GOTRUE_RATE_LIMIT_MAIL_REQUESTS` (default 0: no limit; `wildfire` in production: 30):
    /// requests that mail, on whatever route, per hour and address.
    mail_requests: f64,
    /// `GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT` (default 5; 0 is no limit; `wildfire` in
    /// development: 0): mails to one address in five minutes, whoever asks for them; four times
    /// as many in a day.
    mails_per_recipient: usize,
    /// `GOTRUE_RATE_LIMIT_EMAIL_SENT` (default 30): mails of the whole server, per hour or as
    /// `events/duration`; the last quarter is kept for users with a confirmed address.
    pub(crate) mails: Rate,
}

impl LimitsConfig {
    /// Reads all settings.
    pub(crate) fn from_env(env: &Reader<'_>) -> Self {
        let mails = env.string_or("GOTRUE_RATE_LIMIT_EMAIL_SENT", "30");
        Self {
            header: env
                .string("GOTRUE_RATE_LIMIT_HEADER")
                .filter(|name| !name.is_empty()),
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

    fn of(&self, bucket: Bucket) -> (f64, u32) {
        match bucket {
            Bucket::Signups
            | Bucket::Otp
            | Bucket::MagicLink
            | Bucket::Recover
            | Bucket::Resend
            | Bucket::User => (self.otp / FIVE_MINUTES, 30),
            Bucket::Token => (self.token / FIVE_MINUTES, 30),
            Bucket::Verify => (self.verify / FIVE_MINUTES, 30),
            Bucket::Mail => (
                self.mail_requests / HOUR.as_secs_f64(),
                whole(self.mail_requests),
            ),
            Bucket::FactorVerify | Bucket::FactorChallenge => (self.factors / MINUTE, 30),
            Bucket::Anonymous => (self.anonymous / HOUR.as_secs_f64(), whole(self.anonymous)),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cut off like Go's int(), within the range of the target"
)]
fn whole(number: f64) -> u32 {
    number.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// The service's time, for the limiter.
#[derive(Debug, Clone)]
struct Ticks(Clock);

impl GovernorClock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(u64::try_from(self.0.now().as_nanosecond()).unwrap_or_default())
    }
}

type PerClient = RateLimiter<Origin, DefaultKeyedStateStore<Origin>, Ticks, NoOpMiddleware<Nanos>>;

/// The counters. Cloning shares them.
#[derive(Clone)]
pub(crate) struct Limits(Arc<Counters>);

struct Counters {
    header: Option<String>,
    /// In the order of [`BUCKETS`]; none where no request may pass.
    per_client: Vec<Option<PerClient>>,
    limits_mailing: bool,
    recipients: Recipients,
    mails: MailLimit,
    checks: AtomicU32,
}

impl Limits {
    /// Fresh counters.
    pub(crate) fn new(config: &LimitsConfig, clock: Clock) -> Self {
        let per_client = BUCKETS
            .iter()
            .map(|bucket| {
                let (rate, burst) = config.of(*bucket);
                per_client(rate, burst, &clock)
            })
            .collect();
        Self(Arc::new(Counters {
            header: config.header.clone(),
            per_client,
            limits_mailing: config.mail_requests > 0.0,
            recipients: Recipients::new(config.mails_per_recipient, clock.clone()),
            mails: MailLimit::new(config.mails, clock),
            checks: AtomicU32::new(0),
        }))
    }

    /// Counts a request; refuses it if its client sent too many.
    pub(crate) fn check(&self, bucket: Bucket, call: &Call) -> Result<(), Error> {
        let counters = &self.0;
        let Some(client) = counters.client(call) else {
            return Ok(());
        };
        let refused = |wait: Duration| {
            let text = "Request rate limit reached";
            let refusal = Error::too_many_requests(ErrorCode::OverRequestRateLimit, text);
            let seconds = wait.as_millis().div_ceil(1000);
            Err(refusal.with_header("retry-after", seconds.to_string()))
        };
        let Some(limiter) = counters.limiter(bucket) else {
            return refused(HOUR);
        };
        if counters.checks.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            counters
                .per_client
                .iter()
                .flatten()
                .for_each(RateLimiter::retain_recent);
        }
        match limiter.check_key(&client) {
            Ok(()) => Ok(()),
            Err(until) => refused(until.wait_time_from(GovernorClock::now(limiter.clock()))),
        }
    }

    /// Where a request comes from, for what is shared out among clients: as a proxy names it,
    /// else as the connection does.
    pub(crate) fn origin(&self, call: &Call) -> Origin {
        let named = self.0.client(call);
        named.unwrap_or_else(|| Origin::named(call.client_ip.as_deref().unwrap_or_default()))
    }

    /// Counts a request that mails; refuses it if its client sent too many, on whatever route.
    pub(crate) fn check_mailing(&self, call: &Call) -> Result<(), Error> {
        if self.0.limits_mailing {
            self.check(Bucket::Mail, call)?;
        }
        Ok(())
    }

    /// Whether one more mail may go to this address; counts it, also if nobody has the address.
    pub(crate) fn allows_recipient(&self, address: &str) -> bool {
        self.0.recipients.allow(address)
    }

    /// Whether one more mail may be sent; counts it. The last ones are kept for users with a
    /// confirmed address, so that strangers cannot lock them out.
    pub(crate) fn allows_mail(&self, is_to_known: bool) -> bool {
        self.0.mails.allow(is_to_known)
    }

    /// Whether one more mail could be sent now; counts nothing.
    pub(crate) fn has_mail_left(&self, is_to_known: bool) -> bool {
        self.0.mails.has_left(is_to_known)
    }
}

impl Counters {
    fn limiter(&self, bucket: Bucket) -> Option<&PerClient> {
        let at = BUCKETS.iter().position(|known| *known == bucket)?;
        self.per_client.get(at)?.as_ref()
    }

    fn client(&self, call: &Call) -> Option<Origin> {
        if let Some(address) = &call.forwarded_for {
            return Some(Origin::named(address));
        }
        let value = call.header(self.header.as_deref()?)?;
        let key = value.split(',').next().unwrap_or_default().trim();
        (!key.is_empty()).then(|| Origin::named(key))
    }
}

fn per_client(rate: f64, burst: u32, clock: &Clock) -> Option<PerClient> {
    let burst = NonZeroU32::new(burst)?;
    let period = if rate > 0.0 {
        Duration::try_from_secs_f64(1.0 / rate)
            .unwrap_or(NEVER)
            .min(NEVER)
    } else {
        NEVER
    };
    let quota = Quota::with_period(period)?.allow_burst(burst);
    Some(RateLimiter::new(
        quota,
        DefaultKeyedStateStore::default(),
        Ticks(clock.clone()),
    ))
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::*;

    #[test]
    fn a_client_gets_a_burst_and_then_its_rate() {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        let limiter = per_client(30.0 / FIVE_MINUTES, 30, &clock).unwrap();
        let client = Origin::named("203.0.113.9");
        let passed = |tries| {
            (0..tries)
                .filter(|_| limiter.check_key(&client).is_ok())
                .count()
        };
        assert_eq!(passed(40), 30);
        clock.advance(SignedDuration::from_secs(10));
        assert_eq!(passed(5), 1);
        assert!(per_client(0.0, 0, &clock).is_none());
    }
}
