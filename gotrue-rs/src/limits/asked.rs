//! How soon after one request the next may ask for a mail or message to the same address.
//!
//! Upstream counts from the last mail a user was sent, so that only addresses with an account are
//! ever refused. Here every address that somebody asks for counts, whoever has it or not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use platform::clock::Clock;

use super::table::Table;
use crate::refusal::{Refusal, Sent};

/// What is asked for; each counts for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Confirmation,
    /// A link or code to sign in, or to choose a new password.
    Link,
    EmailChange,
    PhoneChange,
    Message,
}

impl Asked {
    fn sent(self) -> Sent {
        match self {
            Self::Confirmation | Self::Link | Self::EmailChange => Sent::Mail,
            Self::PhoneChange | Self::Message => Sent::Message,
        }
    }
}

/// When each address was last asked for. Cloning shares it.
#[derive(Clone)]
pub(crate) struct AskedLately(Arc<Addresses>);

struct Addresses {
    /// So much time has to pass between two mails.
    mails: Duration,
    /// So much between two messages.
    messages: Duration,
    clock: Clock,
    times: Mutex<Table<Option<Timestamp>>>,
}

/// That an address was asked for.
#[must_use = "a request that is refused takes nobody's turn"]
pub(crate) struct Note {
    addresses: Arc<Addresses>,
    asked: Asked,
    address: String,
    at: Timestamp,
}

impl AskedLately {
    pub(crate) fn new(mails: Duration, messages: Duration, clock: &Clock) -> Self {
        Self(Arc::new(Addresses {
            mails,
            messages,
            clock: clock.clone(),
            times: Mutex::default(),
        }))
    }

    /// Notes that a mail or message to this address is asked for; refuses it if that comes too
    /// soon after the last time. To be called before anybody looks whose address it is.
    pub(crate) fn note(&self, asked: Asked, address: &str) -> Result<Note, Refusal> {
        let addresses = &self.0;
        let what = asked.sent();
        let between = match what {
            Sent::Mail => addresses.mails,
            Sent::Message => addresses.messages,
        };
        let now = addresses.clock.now();
        let mut times = addresses.times();
        let last = times.entry(&(asked, address));
        let passed = last.map(|last| now.duration_since(last).unsigned_abs());
        if let Some(wait) = passed.and_then(|passed| between.checked_sub(passed))
            && !wait.is_zero()
        {
            return Err(Refusal::TooSoon { what, wait });
        }
        *last = Some(now);
        Ok(Note {
            addresses: Arc::clone(addresses),
            asked,
            address: address.to_owned(),
            at: now,
        })
    }
}

impl Addresses {
    fn times(&self) -> MutexGuard<'_, Table<Option<Timestamp>>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Note {
    /// Forgets that the address was asked for if the request fails: who is refused for another
    /// reason takes nobody's turn, and who got no mail may ask again. A client that goes away in
    /// between has had its turn, or it could tell by the next answer whether a mail was on its
    /// way.
    pub(crate) fn unless_refused<T, E>(&self, outcome: Result<T, E>) -> Result<T, E> {
        if outcome.is_err() {
            let mut times = self.addresses.times();
            let last = times.entry(&(self.asked, self.address.as_str()));
            if *last == Some(self.at) {
                *last = None;
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn an_address_is_asked_for_once_a_minute_unless_nothing_came_of_it() {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        let minute = Duration::from_mins(1);
        let asked = AskedLately::new(minute, Duration::ZERO, &clock);
        let note = |what, address| asked.note(what, address);
        let refused = Err::<(), _>("the mail server is away");
        let first = note(Asked::Link, "ada").unwrap();
        assert!(first.unless_refused(refused).is_err());
        let second = note(Asked::Link, "ada").unwrap();
        assert!(second.unless_refused(Ok::<_, ()>(())).is_ok());
        assert!(note(Asked::Link, "ada").is_err());
        assert!(note(Asked::Confirmation, "ada").is_ok());
        assert!(note(Asked::Link, "eve").is_ok());
        for _ in 0..2 {
            assert!(note(Asked::Message, "ada").is_ok());
        }
        clock.advance(SignedDuration::from_secs(59));
        assert!(note(Asked::Link, "ada").is_err());
        clock.advance(SignedDuration::from_secs(1));
        assert!(note(Asked::Link, "ada").is_ok());
        // A client that goes away.
        assert!(note(Asked::Link, "ada").is_err());
    }
}
