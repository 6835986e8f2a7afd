//! How many mails one address gets, whoever asks for them and whether or not anybody has it.
//!
//! In memory, per process: a second process counts for itself, and a restart forgets.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use platform::clock::Clock;

use super::Origin;
use super::table::Table;

const SHORT: i64 = 5 * 60;
const LONG: i64 = 24 * 3600;
/// A day allows so many times what five minutes do.
const LONG_FACTOR: usize = 4;

/// The counters.
pub(super) struct Recipients {
    most: usize,
    clock: Clock,
    origins: RandomState,
    mails: Mutex<Table<VecDeque<Counted>>>,
}

/// A mail that was asked for.
struct Counted {
    /// In seconds.
    at: i64,
    /// Where from, as a digest; the project's own backend is nobody.
    origin: Option<u64>,
}

impl Recipients {
    /// At most `most` mails in five minutes; zero is no limit.
    pub(super) fn new(most: usize, clock: Clock) -> Self {
        Self {
            most,
            clock,
            origins: RandomState::new(),
            mails: Mutex::default(),
        }
    }

    /// Counts a mail to this address, or says how long to wait. One origin gets two fifths of
    /// the address's mails, so that nobody uses up all of somebody else's.
    pub(super) fn count(&self, address: &str, origin: Option<&Origin>) -> Result<(), Duration> {
        if self.most == 0 {
            return Ok(());
        }
        let now = self.clock.now().as_second();
        let origin = origin.map(|origin| self.origins.hash_one(origin));
        let mut table = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        let mails = table.entry(&normal(address));
        mails.retain(|mail| now - mail.at < LONG);
        let own = (self.most * 2).div_ceil(5);
        for (window, factor) in [(SHORT, 1), (LONG, LONG_FACTOR)] {
            let since = now - window;
            let all = wait(mails, self.most * factor, since, |_| true);
            let of_origin = wait(mails, own * factor, since, |mail| {
                origin.is_some() && mail.origin == origin
            });
            if let Some(seconds) = all.max(of_origin) {
                return Err(Duration::from_secs(seconds));
            }
        }
        mails.push_back(Counted { at: now, origin });
        Ok(())
    }
}

/// How many seconds until fewer than `most` of these mails are younger than `since`.
fn wait(
    mails: &VecDeque<Counted>,
    most: usize,
    since: i64,
    counts: impl Fn(&Counted) -> bool,
) -> Option<u64> {
    let mut lately = mails.iter().filter(|mail| mail.at > since && counts(mail));
    let oldest = lately.next()?;
    (lately.count() + 1 >= most).then(|| (oldest.at - since).unsigned_abs())
}

/// Spellings of one mailbox: capitals do not count, nor does a `+label`.
fn normal(address: &str) -> String {
    let address = address.trim().to_lowercase();
    match address.rsplit_once('@') {
        Some((name, host)) => {
            let name = name.split_once('+').map_or(name, |(name, _)| name);
            format!("{name}@{host}")
        }
        None => address,
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::*;

    #[test]
    fn an_address_gets_five_mails_in_five_minutes_and_twenty_a_day() {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        let recipients = Recipients::new(5, clock.clone());
        let count = |address: &str| recipients.count(address, None);
        let sent = |address: &str| (0..9).filter(|_| count(address).is_ok()).count();
        assert_eq!(sent("ada@example.com"), 5);
        let wait = count("Ada+news@example.com").unwrap_err();
        assert_eq!(wait, Duration::from_mins(5));
        assert_eq!(sent("eve@example.com"), 5);
        for expected in [5, 5, 5, 0] {
            clock.advance(SignedDuration::from_mins(5));
            assert_eq!(sent("ada@example.com"), expected);
        }
        let wait = count("ada@example.com").unwrap_err();
        assert_eq!(wait, Duration::from_hours(24) - Duration::from_mins(20));
        clock.advance(SignedDuration::from_hours(24));
        assert_eq!(sent("ada@example.com"), 5);
    }

    #[test]
    fn one_origin_leaves_three_fifths_to_others() {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        let recipients = Recipients::new(5, clock.clone());
        let sent = |origin: &str| {
            let origin = Origin::named(origin);
            let count = || recipients.count("ada@example.com", Some(&origin));
            (0..9).filter(|_| count().is_ok()).count()
        };
        let mut of_eve = 0;
        for _ in 0..9 {
            of_eve += sent("203.0.113.9");
            clock.advance(SignedDuration::from_mins(5));
        }
        assert_eq!(of_eve, 8);
        let others = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
        assert_eq!(others.map(sent), [2, 2, 1]);
    }

    #[test]
    fn zero_limits_nothing() {
        let recipients = Recipients::new(0, Clock::fixed(Timestamp::UNIX_EPOCH));
        assert!((0..100).all(|_| recipients.count("ada@example.com", None).is_ok()));
    }
}
