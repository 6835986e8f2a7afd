//! Hashing passwords without starving everything else.
//!
//! One bcrypt hash takes tens of milliseconds of a core. A few threads of low priority do all
//! of them; when more work queues up than they can finish in a few seconds, callers are turned
//! away at once. Mirrors upstream's `internal/crypto/password.go`.
//!
//! Upstream: hashes on the goroutine of the request, however many there are.

mod formats;

use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

pub(crate) use formats::Foreign;

use crate::error::{Error, ErrorCode};

/// The work factor of new hashes, as upstream's.
const COST: u32 = 10;

/// How many hashes may wait per thread: a few seconds' worth.
const QUEUE_PER_THREAD: usize = 64;

/// How willingly hashing yields to serving requests (0 to 19).
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// The threads that hash; cloning shares them.
#[derive(Clone)]
pub(crate) struct Hasher {
    queue: SyncSender<Job>,
    cost: u32,
}

impl Hasher {
    /// Starts one thread per core but one.
    pub(crate) fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::with_threads((cores - 1).max(1), COST)
    }

    fn with_threads(threads: usize, cost: u32) -> Self {
        let (queue, jobs) = sync_channel(threads * QUEUE_PER_THREAD);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            let spawned = std::thread::Builder::new()
                .name("password".to_owned())
                .spawn(move || work(&jobs));
            if let Err(error) = spawned {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "A hashing thread could not start"
                );
            }
        }
        Self { queue, cost }
    }

    /// The hash of a new password, which must not be longer than 72 bytes.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, Error> {
        let (password, cost) = (password.to_owned(), self.cost);
        let mut salt = [0; 16];
        aws_lc_rs::rand::fill(&mut salt).map_err(|_| Error::Unexpected("no randomness".into()))?;
        let hashed = self.run(move || {
            bcrypt::hash_with_salt(&password, cost, salt)
                .map(|parts| parts.format_for_version(bcrypt::Version::TwoA))
        });
        hashed
            .await?
            .map_err(|error| Error::Unexpected(error.into()))
    }

    /// Whether the password is the one behind the hash; a hash of no known kind is an error.
    pub(crate) async fn verify(&self, password: &str, hash: &str) -> Result<bool, Error> {
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let verified = self.run(move || {
            if formats::is_foreign(&hash) {
                let known = Foreign::parse(&hash);
                return Ok(known.is_some_and(|known| known.matches(&password)));
            }
            bcrypt::verify(password, &hash)
        });
        verified
            .await?
            .map_err(|error| Error::Unexpected(error.into()))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move || {
            // Nobody waits any longer if the request timed out while queueing.
            if !done.is_closed() {
                let _ = done.send(work());
            }
        });
        match self.queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(busy()),
            Err(TrySendError::Disconnected(_)) => {
                return Err(Error::internal("Unable to process request"));
            }
        }
        outcome
            .await
            .map_err(|error| Error::Unexpected(Box::new(error)))
    }
}

/// Upstream: would queue without end.
fn busy() -> Error {
    Error::too_many_requests(
        ErrorCode::OverRequestRateLimit,
        "Request rate limit reached",
    )
    .with_header("retry-after", "5")
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    // On Linux this concerns the calling thread only.
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "The priority of a hashing thread could not be lowered");
    }
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => {
                if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
                    tracing::error!("Hashing a password panicked");
                }
            }
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hasher;

    const FAST: u32 = 4;

    #[tokio::test]
    async fn hashes_verify_and_look_like_upstreams() {
        let hasher = Hasher::with_threads(1, FAST);
        for password in ["secret", "", "with\0nul", &"é".repeat(36)] {
            let hash = hasher.hash(password).await.unwrap();
            assert!(hash.starts_with("$2a$04$"), "{hash}");
            assert_eq!(hash.len(), 60);
            assert!(hasher.verify(password, &hash).await.unwrap());
            assert!(!hasher.verify("something else", &hash).await.unwrap());
        }
    }

    #[tokio::test]
    async fn hashes_made_by_go_are_accepted() {
        let hasher = Hasher::with_threads(1, FAST);
        let hash = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
        assert!(!hasher.verify("not it", hash).await.unwrap());
        assert!(hasher.verify("x", "not a hash").await.is_err());
    }

    #[tokio::test]
    async fn a_full_queue_turns_callers_away_at_once() {
        let hasher = Hasher::with_threads(1, 8);
        let waiting: Vec<_> = (0..100).map(|_| hasher.hash("password")).collect();
        let outcomes = futures_util::future::join_all(waiting).await;
        let refused = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        assert!(refused > 0, "nobody was turned away");
        assert!(refused < 100, "nobody was served");
    }
}
