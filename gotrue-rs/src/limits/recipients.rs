//! How many mails one address gets, whoever asks for them and whether or not anybody has it.
//!
//! In memory, per process: a second process counts for itself, and a restart forgets.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use platform::clock::Clock;

const SHORT: i64 = 5 * 60;
const LONG: i64 = 24 * 3600;
/// A day allows so many times what five minutes do.
const LONG_FACTOR: usize = 4;

/// Addresses a generation remembers; there are two.
const MOST_ADDRESSES: usize = 20_000;

/// Times of mails, in seconds, oldest first.
type Times = VecDeque<i64>;

/// The counters.
pub(super) struct Recipients {
    most: usize,
    clock: Clock,
    generations: Mutex<Generations>,
}

/// The older generation is dropped when the younger is full: whoever has not been written to for
/// longest is forgotten.
#[derive(Default)]
struct Generations {
    young: HashMap<Box<str>, Times>,
    old: HashMap<Box<str>, Times>,
}

impl Recipients {
    /// At most `most` mails in five minutes; zero is no limit.
    pub(super) fn new(most: usize, clock: Clock) -> Self {
        Self {
            most,
            clock,
            generations: Mutex::default(),
        }
    }

    /// Whether one more mail may go to this address; counts it if so.
    pub(super) fn allow(&self, address: &str) -> bool {
        if self.most == 0 {
            return true;
        }
        let now = self.clock.now().as_second();
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let times = generations.times(&normal(address));
        times.retain(|time| now - time < LONG);
        let lately = times.iter().filter(|time| now - **time < SHORT).count();
        let allowed = lately < self.most && times.len() < self.most * LONG_FACTOR;
        if allowed {
            times.push_back(now);
        }
        allowed
    }
}

impl Generations {
    fn times(&mut self, address: &str) -> &mut Times {
        let known = self.old.remove(address).unwrap_or_default();
        if self.young.len() >= MOST_ADDRESSES && !self.young.contains_key(address) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.entry(address.into()).or_insert(known)
    }
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
        let sent = |address: &str| (0..9).filter(|_| recipients.allow(address)).count();
        assert_eq!(sent("ada@example.com"), 5);
        assert!(!recipients.allow("Ada+news@example.com"));
        assert_eq!(sent("eve@example.com"), 5);
        for expected in [5, 5, 5, 0] {
            clock.advance(SignedDuration::from_mins(5));
            assert_eq!(sent("ada@example.com"), expected);
        }
        clock.advance(SignedDuration::from_hours(24));
        assert_eq!(sent("ada@example.com"), 5);
    }

    #[test]
    fn zero_limits_nothing() {
        let recipients = Recipients::new(0, Clock::fixed(Timestamp::UNIX_EPOCH));
        assert!((0..100).all(|_| recipients.allow("ada@example.com")));
    }

    #[test]
    fn the_table_is_bounded_and_forgets_the_oldest_first() {
        let recipients = Recipients::new(1, Clock::fixed(Timestamp::UNIX_EPOCH));
        let fill = |from: usize| {
            for n in from..from + MOST_ADDRESSES {
                assert!(recipients.allow(&format!("u{n}@example.com")));
            }
        };
        fill(0);
        fill(MOST_ADDRESSES);
        assert!(
            !recipients.allow("u1@example.com"),
            "seen one generation ago"
        );
        fill(2 * MOST_ADDRESSES);
        assert!(
            recipients.allow("u2@example.com"),
            "seen two generations ago"
        );
    }
}
