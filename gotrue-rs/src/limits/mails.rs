//! How many mails this server sends.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use platform::env::parse_duration;

use super::{HOUR, whole};

/// One in so many is kept for users who are known.
const KEPT: u32 = 4;

/// A number of events: per hour, or as a bucket that refills one at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    PerHour(f64),
    Refill { burst: u32, every: Duration },
}

impl Rate {
    pub(super) fn parse(text: &str) -> Option<Self> {
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
        });
        Self {
            rate,
            clock,
            window,
        }
    }

    /// Whether one more may be sent; counts it.
    pub(super) fn allow(&self, is_to_known: bool) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = self.left(&mut window, is_to_known) > 0;
        match self.rate {
            Rate::PerHour(_) => window.count += u32::from(allowed),
            Rate::Refill { .. } => window.count -= u32::from(allowed),
        }
        allowed
    }

    /// Whether one more could be sent now.
    pub(super) fn has_left(&self, is_to_known: bool) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        self.left(&mut window, is_to_known) > 0
    }

    fn left(&self, window: &mut Window, is_to_known: bool) -> u32 {
        let now = self.clock.now();
        let kept = |most: u32| if is_to_known { 0 } else { most / KEPT };
        match self.rate {
            Rate::PerHour(events) => {
                if window.advance(now, HOUR) > 0 {
                    window.count = 0;
                }
                let most = whole(events);
                (most - kept(most)).saturating_sub(window.count)
            }
            Rate::Refill { burst, every } => {
                // Upstream: a duration of zero means an hour.
                let every = if every.is_zero() { HOUR } else { every };
                let refilled = window.advance(now, every);
                window.count = window.count.saturating_add(refilled).min(burst);
                window.count.saturating_sub(kept(burst))
            }
        }
    }
}

impl Window {
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
        (0..tries).filter(|_| limit.allow(true)).count()
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
    fn strangers_leave_a_quarter_to_those_who_are_known() {
        for rate in ["100", "100/1h"] {
            let (limit, _clock) = limit(rate);
            let strangers = (0..200).filter(|_| limit.allow(false)).count();
            assert_eq!((strangers, allowed(&limit, 200)), (75, 25), "{rate}");
        }
    }

    #[test]
    fn zero_allows_nothing() {
        assert!(Rate::parse("0").unwrap().is_zero());
        assert_eq!(allowed(&limit("0").0, 3), 0);
        assert!(Rate::parse("x").is_none());
        assert!(Rate::parse("5/x").is_none());
    }
}
