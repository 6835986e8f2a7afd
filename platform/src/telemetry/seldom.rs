//! Lines about what is away: what one request finds missing, all of them do, and a line each would
//! bury everything else. Each cause has lines of its own, so that a frequent one hides no other.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The database cannot be reached, or ends what it was asked.
pub static DATABASE: Seldom = Seldom::new();
/// All connections to the database are busy.
pub static DATABASE_POOL: Seldom = Seldom::new();
/// A statement or a lock took too long.
pub static DATABASE_TIMEOUT: Seldom = Seldom::new();
/// The database cannot write.
pub static DATABASE_FULL: Seldom = Seldom::new();
/// The mail server cannot serve.
pub static MAIL_SERVER: Seldom = Seldom::new();
/// The collector of traces takes none.
pub static TRACES: Seldom = Seldom::new();
/// There is more to do than can be done.
pub static OVERLOAD: Seldom = Seldom::new();

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

const PAUSE_MS: u64 = 1000;

/// Lines of one kind, of which at most one a second is written.
#[derive(Debug)]
pub struct Seldom {
    /// Since the process began.
    next_ms: AtomicU64,
    left_out: AtomicU64,
}

impl Seldom {
    const fn new() -> Self {
        Self {
            next_ms: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }

    /// Whether a line may be written now, and how many were left out before it.
    pub fn admit(&self) -> Option<u64> {
        self.admit_at(START.elapsed())
    }

    fn admit_at(&self, since_start: Duration) -> Option<u64> {
        let now = u64::try_from(since_start.as_millis()).unwrap_or(u64::MAX);
        let next = self.next_ms.load(Ordering::Relaxed);
        let then = now.saturating_add(PAUSE_MS);
        let is_first = now >= next
            && self
                .next_ms
                .compare_exchange(next, then, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_first {
            return Some(self.left_out.swap(0, Ordering::Relaxed));
        }
        self.left_out.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_says_how_many_were_left_out() {
        let lines = Seldom::new();
        let at = |ms| lines.admit_at(Duration::from_millis(ms));
        assert_eq!(at(0), Some(0));
        assert_eq!((at(0), at(500), at(999)), (None, None, None));
        assert_eq!(at(1000), Some(3));
        assert_eq!(at(1001), None);
        assert_eq!(at(60_000), Some(1));
        assert_eq!(at(61_000), Some(0));
    }

    #[test]
    fn of_many_at_once_one_is_written_and_all_are_counted() {
        let lines = Seldom::new();
        let written: usize = std::thread::scope(|scope| {
            let asking = |_| {
                scope.spawn(|| {
                    let all = (0..1000).filter_map(|_| lines.admit_at(Duration::ZERO));
                    all.count()
                })
            };
            let threads: Vec<_> = (0..4).map(asking).collect();
            threads.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(written, 1);
        assert_eq!(lines.admit_at(Duration::from_secs(1)), Some(3999));
    }
}
