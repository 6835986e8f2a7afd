//! The time, as an argument: production reads the system, tests set it.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Tells the time. Cloning shares the underlying clock.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Fixed(Arc<Mutex<Timestamp>>),
}

impl Clock {
    /// The machine's own clock.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `now` until [`Clock::advance`] moves it.
    pub fn fixed(now: Timestamp) -> Self {
        Self(Source::Fixed(Arc::new(Mutex::new(now))))
    }

    /// The current instant, in microseconds: what Postgres can store, so that a value written
    /// and read back is equal.
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the one place that reads the clock"
                )]
                let now = Timestamp::now();
                Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
            }
            Source::Fixed(now) => *now.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Moves a fixed clock; the system clock is left alone.
    pub fn advance(&self, by: SignedDuration) {
        if let Source::Fixed(now) = &self.0 {
            let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
            *now = now.saturating_add(by).unwrap_or(*now);
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_clock_stands_still_until_advanced() {
        let clock = Clock::fixed(Timestamp::UNIX_EPOCH);
        let shared = clock.clone();
        clock.advance(SignedDuration::from_secs(90));
        assert_eq!(shared.now().as_second(), 90);
    }
}
