//! How often a client may ask, and how many mails this server sends.
//!
//! Mirrors upstream's `internal/api/apilimiter`, `middleware.go` and `internal/ratelimit`. All
//! counters live in memory, per process. Requests are limited only where a proxy names the
//! client: by `GOTRUE_RATE_LIMIT_HEADER` or, if enabled, `Sb-Forwarded-For`.

mod asked;
mod mails;
mod origin;
mod recipients;
mod table;

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::{Quota, RateLimiter};
use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;

use crate::call::Call;
use crate::config::LimitsConfig;
use crate::refusal::Refusal;

pub(crate) use asked::{Asked, AskedLately, Note};
use mails::MailLimit;
pub(crate) use mails::Sender;
pub(crate) use origin::Origin;
use recipients::Recipients;
use table::{Clients, Table};

const MINUTE: f64 = 60.0;
const FIVE_MINUTES: f64 = 300.0;
const HOUR: Duration = Duration::from_hours(1);
/// So seldom that it never happens: the refill of a bucket whose rate is zero.
const NEVER: Duration = Duration::from_hours(24 * 365 * 10);
/// What a site may send in so many times the number of what one of its networks may.
const SITE_FACTOR: f64 = 2.0;
/// How long a client counts as known after somebody signed in from there.
const LATELY: SignedDuration = SignedDuration::from_hours(24 * 30);

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
    /// The same for all networks of a site.
    MailOfSite,
    Anonymous,
    FactorVerify,
    FactorChallenge,
}

const BUCKETS: [Bucket; 13] = [
    Bucket::Signups,
    Bucket::Otp,
    Bucket::MagicLink,
    Bucket::Recover,
    Bucket::Resend,
    Bucket::User,
    Bucket::Token,
    Bucket::Verify,
    Bucket::Mail,
    Bucket::MailOfSite,
    Bucket::Anonymous,
    Bucket::FactorVerify,
    Bucket::FactorChallenge,
];

/// How many a second a client may send, and how many at once.
fn rate(config: &LimitsConfig, bucket: Bucket) -> (f64, u32) {
    match bucket {
        Bucket::Signups
        | Bucket::Otp
        | Bucket::MagicLink
        | Bucket::Recover
        | Bucket::Resend
        | Bucket::User => (config.otp / FIVE_MINUTES, 30),
        Bucket::Token => (config.token / FIVE_MINUTES, 30),
        Bucket::Verify => (config.verify / FIVE_MINUTES, 30),
        Bucket::Mail => per_hour(config.mail_requests),
        Bucket::MailOfSite => per_hour(config.mail_requests * SITE_FACTOR),
        Bucket::FactorVerify | Bucket::FactorChallenge => (config.factors / MINUTE, 30),
        Bucket::Anonymous => per_hour(config.anonymous),
    }
}

fn per_hour(requests: f64) -> (f64, u32) {
    (requests / HOUR.as_secs_f64(), whole(requests))
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

type PerClient = RateLimiter<Origin, Clients, Ticks, NoOpMiddleware<Nanos>>;

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
    signed_in: Mutex<Table<Timestamp>>,
    clock: Clock,
}

impl Limits {
    /// Fresh counters.
    pub(crate) fn new(config: &LimitsConfig, clock: Clock) -> Self {
        let per_client = BUCKETS
            .iter()
            .map(|bucket| {
                let (rate, burst) = rate(config, *bucket);
                per_client(rate, burst, &clock)
            })
            .collect();
        Self(Arc::new(Counters {
            header: config.header.clone(),
            per_client,
            limits_mailing: config.mail_requests > 0.0,
            recipients: Recipients::new(config.mails_per_recipient, clock.clone()),
            mails: MailLimit::new(config.mails, clock.clone()),
            signed_in: Mutex::default(),
            clock,
        }))
    }

    /// Counts a request; refuses it if its client sent too many.
    pub(crate) fn check(&self, bucket: Bucket, call: &Call) -> Result<(), Refusal> {
        match self.0.client(call) {
            Some(client) => self.0.check(bucket, &Origin::named(client)),
            None => Ok(()),
        }
    }

    /// Counts a request by its connection where no proxy names its client and [`Limits::check`]
    /// lets it pass.
    pub(crate) fn check_unnamed(&self, bucket: Bucket, call: &Call) -> Result<(), Refusal> {
        match self.0.client(call) {
            Some(_) => Ok(()),
            None => self.0.check(bucket, &self.origin(call)),
        }
    }

    /// Where a request comes from, for what is shared out among clients: as a proxy names it,
    /// else as the connection does.
    pub(crate) fn origin(&self, call: &Call) -> Origin {
        Origin::named(self.0.source(call))
    }

    /// The site a request comes from, which may have many networks.
    pub(crate) fn site(&self, call: &Call) -> Origin {
        Origin::site(self.0.source(call))
    }

    /// Notes that somebody signed in from there.
    pub(crate) fn note_sign_in(&self, call: &Call) {
        let mut signed_in = self.0.signed_in();
        *signed_in.entry(&self.origin(call)) = self.0.clock.now();
    }

    /// Whether somebody has signed in from there lately, to whatever account.
    pub(crate) fn is_known(&self, call: &Call) -> bool {
        let now = self.0.clock.now();
        let signed_in = self.0.signed_in();
        let last = signed_in.get(&self.origin(call));
        last.is_some_and(|last| now.duration_since(*last) < LATELY)
    }

    /// Counts a request that mails; refuses it if its client sent too many, on whatever route.
    pub(crate) fn check_mailing(&self, call: &Call) -> Result<(), Refusal> {
        match self.0.client(call) {
            Some(client) if self.0.limits_mailing => {
                self.0.check(Bucket::Mail, &Origin::named(client))?;
                self.0.check(Bucket::MailOfSite, &Origin::site(client))
            }
            _ => Ok(()),
        }
    }

    /// Counts a mail to this address, also if nobody has it, or says how long to wait. `origin`
    /// is none for the project's own backend.
    pub(crate) fn count_recipient(
        &self,
        address: &str,
        origin: Option<&Origin>,
    ) -> Result<(), Duration> {
        self.0.recipients.count(address, origin)
    }

    /// Counts a mail of the whole server, or says how long to wait. The last ones are kept for
    /// those who are known, so that strangers cannot lock them out.
    pub(crate) fn count_mail(&self, sender: Sender<'_>) -> Result<(), Duration> {
        self.0.mails.count(sender)
    }
}

impl Counters {
    fn limiter(&self, bucket: Bucket) -> Option<&PerClient> {
        let at = BUCKETS.iter().position(|known| *known == bucket)?;
        self.per_client.get(at)?.as_ref()
    }

    fn check(&self, bucket: Bucket, client: &Origin) -> Result<(), Refusal> {
        let wait = match self.limiter(bucket) {
            Some(limiter) => match limiter.check_key(client) {
                Ok(()) => return Ok(()),
                Err(until) => until.wait_time_from(GovernorClock::now(limiter.clock())),
            },
            None => HOUR,
        };
        Err(Refusal::TooOften(wait))
    }

    /// The client as a proxy names it.
    fn client<'a>(&self, call: &'a Call) -> Option<&'a str> {
        if let Some(address) = &call.forwarded_for {
            return Some(address);
        }
        let value = call.header(self.header.as_deref()?)?;
        let key = value.split(',').next().unwrap_or_default().trim();
        (!key.is_empty()).then_some(key)
    }

    /// The client, named by a proxy or else by its connection.
    fn source<'a>(&self, call: &'a Call) -> &'a str {
        let named = self.client(call);
        named.unwrap_or_else(|| call.client_ip.as_deref().unwrap_or_default())
    }

    fn signed_in(&self) -> MutexGuard<'_, Table<Timestamp>> {
        self.signed_in
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
        Clients::default(),
        Ticks(clock.clone()),
    ))
}

#[cfg(test)]
mod tests {
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
