//! How many mails this server sends.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;

use super::table::Table;
use super::{HOUR, Origin, whole};
use crate::config::Rate;

/// One in so many is kept for users who are known.
const KEPT: u32 = 4;

/// One in so many of these is what one of them gets in an hour.
const OWN_SHARE: u32 = 5;

/// Whom a mail is for, as far as it is known before anybody looks whose address it goes to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sender<'a> {
    Stranger,
    /// Somebody who is signed in, or asks from where somebody has signed in lately.
    Known(&'a Origin),
    /// The project itself.
    Backend,
}

/// The limit over all mails of this process.
pub(super) struct MailLimit {
    rate: Rate,
    clock: Clock,
    window: Mutex<Window>,
}

/// For [`Rate::PerHour`] the window's start and how many mails it saw; for [`Rate::Refill`] the
/// time up to which tokens were added and how many are left.
struct Window {
    since: Timestamp,
    count: u32,
    /// What each has taken of the mails that are kept.
    of_kept: Table<Taken>,
}

/// How many in the hour since then.
#[derive(Default)]
struct Taken {
    since: Timestamp,
    count: u32,
}

impl MailLimit {
    pub(super) fn new(rate: Rate, clock: Clock) -> Self {
        let count = match rate {
            Rate::PerHour(_) => 0,
            Rate::Refill { burst, .. } => burst,
        };
        let window = Mutex::new(Window {
            since: clock.now(),
            count,
            of_kept: Table::default(),
        });
        Self {
            rate,
            clock,
            window,
        }
    }

    /// Counts one more, or says how long to wait.
    pub(super) fn count(&self, sender: Sender<'_>) -> Result<(), Duration> {
        let now = self.clock.now();
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, kept) = self.left(&mut window, now);
        let is_allowed = left > kept
            || left > 0
                && match sender {
                    Sender::Stranger => false,
                    Sender::Known(origin) => window.takes_kept(origin, kept, now),
                    Sender::Backend => true,
                };
        if !is_allowed {
            let passed = now.duration_since(window.since).unsigned_abs();
            return Err(self.period().saturating_sub(passed));
        }
        match self.rate {
            Rate::PerHour(_) => window.count += 1,
            Rate::Refill { .. } => window.count -= 1,
        }
        Ok(())
    }

    /// How many are left, and how many of the last ones are kept for users who are known.
    fn left(&self, window: &mut Window, now: Timestamp) -> (u32, u32) {
        let periods = window.advance(now, self.period());
        match self.rate {
            Rate::PerHour(events) => {
                if periods > 0 {
                    window.count = 0;
                }
                let most = whole(events);
                (most.saturating_sub(window.count), most / KEPT)
            }
            Rate::Refill { burst, .. } => {
                window.count = window.count.saturating_add(periods).min(burst);
                (window.count, burst / KEPT)
            }
        }
    }

    fn period(&self) -> Duration {
        match self.rate {
            // Upstream: a duration of zero means an hour.
            Rate::Refill { every, .. } if !every.is_zero() => every,
            Rate::PerHour(_) | Rate::Refill { .. } => HOUR,
        }
    }
}

impl Window {
    /// Whether somebody who is known may have one more of those that are kept; counts it.
    fn takes_kept(&mut self, origin: &Origin, kept: u32, now: Timestamp) -> bool {
        let taken = self.of_kept.entry(origin);
        if now.duration_since(taken.since).unsigned_abs() >= HOUR {
            *taken = Taken {
                since: now,
                count: 0,
            };
        }
        let is_allowed = taken.count < (kept / OWN_SHARE).max(1);
        taken.count += u32::from(is_allowed);
        is_allowed
    }

    /// Moves the start by as many whole periods as have passed and says how many.
    fn advance(&mut self, now: Timestamp, period: Duration) -> u32 {
        let passed = u128::try_from(now.duration_since(self.since).as_nanos()).unwrap_or_default();
        let periods = u32::try_from(passed / period.as_nanos()).unwrap_or(u32::MAX);
        let moved = SignedDuration::try_from(period.saturating_mul(periods)).unwrap_or_default();
        self.since = self.since.saturating_add(moved).unwrap_or(now);
        periods
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(rate: &str) -> (MailLimit, Clock) {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        (
            MailLimit::new(Rate::parse(rate).unwrap(), clock.clone()),
            clock,
        )
    }

    fn allowed(limit: &MailLimit, tries: usize) -> usize {
        (0..tries)
            .filter(|_| limit.count(Sender::Backend).is_ok())
            .count()
    }

    #[test]
    fn a_plain_number_counts_per_hour_from_the_start() {
        let (limit, clock) = limit("3");
        assert_eq!(allowed(&limit, 5), 3);
        clock.advance(SignedDuration::from_mins(59));
        assert_eq!(allowed(&limit, 1), 0);
        clock.advance(SignedDuration::from_mins(1));
        assert_eq!(allowed(&limit, 5), 3);
    }

    #[test]
    fn a_bucket_refills_one_by_one() {
        let (limit, clock) = limit("2/20s");
        assert_eq!(allowed(&limit, 5), 2);
        clock.advance(SignedDuration::from_secs(19));
        assert_eq!(allowed(&limit, 5), 0);
        clock.advance(SignedDuration::from_secs(1));
        assert_eq!(allowed(&limit, 5), 1);
        clock.advance(SignedDuration::from_hours(1));
        assert_eq!(allowed(&limit, 5), 2);
    }

    #[test]
    fn strangers_leave_a_quarter_to_those_who_are_known_each_a_fifth_of_it() {
        for rate in ["100", "100/1h"] {
            let (limit, _clock) = limit(rate);
            let sent = |sender| (0..200).filter(|_| limit.count(sender).is_ok()).count();
            assert_eq!(sent(Sender::Stranger), 75, "{rate}");
            let (ada, eve) = (Origin::named("ada"), Origin::named("eve"));
            assert_eq!(sent(Sender::Known(&ada)), 5, "{rate}");
            assert_eq!(sent(Sender::Known(&eve)), 5, "{rate}");
            assert_eq!(sent(Sender::Backend), 15, "{rate}");
        }
    }

    #[test]
    fn who_is_refused_is_told_when_the_next_hour_begins() {
        let (limit, clock) = limit("1");
        assert_eq!(allowed(&limit, 1), 1);
        clock.advance(SignedDuration::from_mins(45));
        let wait = limit.count(Sender::Stranger).unwrap_err();
        assert_eq!(wait, Duration::from_mins(15));
    }

    #[test]
    fn zero_allows_nothing() {
        assert!(Rate::parse("0").unwrap().is_zero());
        assert_eq!(allowed(&limit("0").0, 3), 0);
        assert!(Rate::parse("x").is_none());
        assert!(Rate::parse("5/x").is_none());
    }
}
