//! Hashing passwords without starving everything else.
//!
//! One bcrypt hash takes tens of milliseconds of a core. A few threads of low priority do all
//! of them, by turns for every client that waits; when more work is queued than they finish in
//! a few seconds, as measured, callers are turned away at once. Mirrors upstream's
//! `internal/crypto/password.go`.
//!
//! Upstream: hashes on the goroutine of the request, however many there are.

mod formats;
mod queue;

use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use platform::telemetry::{Metrics, count};
use tokio::sync::oneshot;
use uuid::Uuid;

use formats::Stored;
pub(crate) use formats::is_usable;
use queue::{Job, Queue};

use crate::error::Error;
use crate::limits::Origin;
use crate::refusal::Refusal;

/// The work factor of new hashes, as upstream's.
const COST: u32 = 10;

/// What bcrypt looks at of a password, bytes. What waits for its turn is no longer.
const BCRYPT_USES: usize = 72;

/// Passwords behind other hashes are not longer, bytes.
///
/// Upstream: sets no limit.
const LONGEST_FOREIGN: usize = 4096;

/// How long whoever comes last may have to wait.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How many may wait in any case.
const FEWEST_WAITING: usize = 24;

/// What a hash takes until one was measured.
const FIRST_GUESS: Duration = Duration::from_millis(50);

/// How willingly hashing yields to serving requests (0 to 19), and costly hashing to all else.
const NICENESS: i32 = 10;
const NICENESS_OF_COSTLY: i32 = 19;

/// The threads that hash; cloning shares them.
#[derive(Clone)]
pub(crate) struct Hasher {
    usual: Threads,
    /// For hashes from elsewhere that take many times as long: whoever asks for them again and
    /// again only keeps those waiting who have such a hash.
    costly: Threads,
    cost: u32,
}

/// Threads with a queue before them; cloning shares them.
#[derive(Clone)]
struct Threads {
    shared: Arc<Shared>,
    /// Ends the threads with the last clone.
    _closer: Arc<Closer>,
}

struct Shared {
    desk: Mutex<Desk>,
    news: Condvar,
    threads: usize,
    niceness: i32,
}

/// What waits, and what is known about how long it will take.
struct Desk {
    queue: Queue<Box<dyn Work>>,
    /// What a job takes, on average over the last few.
    typical: Duration,
    is_closed: bool,
}

struct Closer(Arc<Shared>);

impl Drop for Closer {
    fn drop(&mut self) {
        self.0.desk().is_closed = true;
        self.0.news.notify_all();
    }
}

impl Hasher {
    /// Starts one thread per core; their low priority leaves the cores to the requests.
    pub(crate) fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::with_threads(cores, COST)
    }

    fn with_threads(threads: usize, cost: u32) -> Self {
        Self {
            usual: Threads::start(threads, NICENESS),
            costly: Threads::start(1, NICENESS_OF_COSTLY),
            cost,
        }
    }

    /// Shows what waits.
    pub(crate) fn show(&self, metrics: Metrics) {
        for (kind, threads) in [("usual", &self.usual), ("costly", &self.costly)] {
            let (metrics, shared) = (metrics.part("kind", kind), &threads.shared);
            metrics.gauge("hash_queue_waiting", "Passwords to hash", shared, |it| {
                count(it.desk().queue.waiting())
            });
            let about = "How long the last of them will wait, about";
            metrics.gauge("hash_queue_wait_seconds", about, shared, |it| {
                let desk = it.desk();
                let rounds = count(desk.queue.waiting()) / count(it.threads.max(1));
                desk.typical.as_secs_f64() * rounds
            });
        }
    }

    /// The hash of a new password, which must not be longer than 72 bytes.
    pub(crate) async fn hash(&self, origin: &Origin, password: &str) -> Result<String, Error> {
        let (password, cost) = (used_of(password, BCRYPT_USES), self.cost);
        let salt = platform::keys::random();
        let hashed = self.usual.run(origin, move || {
            bcrypt::hash_with_salt(&password, cost, salt)
                .map(|parts| parts.format_for_version(bcrypt::Version::TwoA))
        });
        hashed
            .await?
            .map_err(|error| Error::Unexpected(error.into()))
    }

    /// Whether the password is the one behind the hash of this user. Nothing is behind a hash that
    /// cannot be checked or is too costly; finding that takes as long as [`Hasher::verify_nothing`].
    // Upstream: a hash of no known kind is a server error.
    pub(crate) async fn verify(
        &self,
        origin: &Origin,
        password: &str,
        hash: &str,
        user_id: Uuid,
    ) -> Result<bool, Error> {
        let Some(stored) = Stored::parse(hash) else {
            self.verify_nothing(origin, password).await?;
            tracing::warn!(user.id = %user_id, "A stored password hash cannot be checked");
            return Ok(false);
        };
        let (most, is_whole) = match stored {
            Stored::Bcrypt(_) => (BCRYPT_USES, true),
            _ => (LONGEST_FOREIGN, password.len() <= LONGEST_FOREIGN),
        };
        let password = used_of(password, most);
        let threads = if stored.is_costly() {
            &self.costly
        } else {
            &self.usual
        };
        threads
            .run(origin, move || stored.matches(&password) && is_whole)
            .await
    }

    /// Takes as long as [`Hasher::verify`] with a hash of this service, and finds nothing: for
    /// accounts that do not exist or have no password, so that the time does not tell.
    pub(crate) async fn verify_nothing(
        &self,
        origin: &Origin,
        password: &str,
    ) -> Result<(), Error> {
        let (password, cost) = (used_of(password, BCRYPT_USES), self.cost);
        self.usual
            .run(origin, move || hash_in_vain(&password, cost))
            .await
    }
}

impl Threads {
    fn start(threads: usize, niceness: i32) -> Self {
        let shared = Arc::new(Shared {
            desk: Mutex::new(Desk {
                queue: Queue::default(),
                typical: FIRST_GUESS,
                is_closed: false,
            }),
            news: Condvar::new(),
            threads,
            niceness,
        });
        for _ in 0..threads {
            let shared = Arc::clone(&shared);
            let spawned = std::thread::Builder::new()
                .name("password".to_owned())
                .spawn(move || shared.work());
            if let Err(error) = spawned {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "A hashing thread could not start"
                );
            }
        }
        Self {
            _closer: Arc::new(Closer(Arc::clone(&shared))),
            shared,
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        origin: &Origin,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (done, outcome) = oneshot::channel();
        let turned_away = {
            let mut desk = self.shared.desk();
            let room = desk.room(self.shared.threads);
            desk.queue
                .push(origin, Box::new(Asked { work, done }), room)
        };
        self.shared.news.notify_one();
        if let Some(job) = turned_away {
            job.turn_away();
        }
        outcome
            .await
            .map_err(|error| Error::Unexpected(Box::new(error)))?
            .ok_or_else(busy)
    }
}

impl Desk {
    /// How many jobs may wait so that the last of them is done in time; a few do however slow the
    /// machine is just now, since people of one office come from one address.
    fn room(&self, threads: usize) -> usize {
        let each = self.typical.as_nanos().max(1);
        let jobs = LONGEST_WAIT.as_nanos() / each;
        let jobs = usize::try_from(jobs).unwrap_or(usize::MAX);
        (jobs * threads).max(FEWEST_WAITING)
    }

    fn measured(&mut self, took: Duration) {
        self.typical = (self.typical * 7 + took) / 8;
    }
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        // On Linux this concerns the calling thread only.
        if let Err(error) = rustix::process::setpriority_process(None, self.niceness) {
            tracing::debug!(%error, "The priority of a hashing thread could not be lowered");
        }
        while let Some(job) = self.next() {
            let started = Instant::now();
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run())).is_err() {
                tracing::error!("Hashing a password panicked");
            }
            self.desk().measured(started.elapsed());
        }
    }

    fn next(&self) -> Option<Box<dyn Work>> {
        let mut desk = self.desk();
        loop {
            if desk.is_closed {
                return None;
            }
            if let Some(job) = desk.queue.pop() {
                return Some(job);
            }
            desk = self.news.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A job of whatever outcome.
trait Work: Send {
    fn is_wanted(&self) -> bool;
    fn run(self: Box<Self>);
    fn turn_away(self: Box<Self>);
}

struct Asked<F, T> {
    work: F,
    /// Gets nothing if there was no room.
    done: oneshot::Sender<Option<T>>,
}

impl<T: Send, F: FnOnce() -> T + Send> Work for Asked<F, T> {
    /// Nobody waits any longer if the request timed out while queueing.
    fn is_wanted(&self) -> bool {
        !self.done.is_closed()
    }

    fn run(self: Box<Self>) {
        let Self { work, done } = *self;
        let _ = done.send(Some(work()));
    }

    fn turn_away(self: Box<Self>) {
        let _ = self.done.send(None);
    }
}

impl Job for Box<dyn Work> {
    fn is_wanted(&self) -> bool {
        (**self).is_wanted()
    }
}

/// The work of a hash; what it comes to does not matter.
fn hash_in_vain(password: &[u8], cost: u32) {
    let _ = bcrypt::hash_with_salt(password, cost, [0; 16]);
}

/// As much of a password as a hash looks at.
fn used_of(password: &str, most: usize) -> Vec<u8> {
    let bytes = password.as_bytes();
    bytes[..bytes.len().min(most)].to_vec()
}

/// Upstream: would queue without end.
fn busy() -> Error {
    Refusal::TooOften(LONGEST_WAIT).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    use futures_util::future::Either;
    use uuid::Uuid;

    use super::{BCRYPT_USES, FEWEST_WAITING, Hasher, LONGEST_FOREIGN, used_of};
    use crate::limits::Origin;

    const FAST: u32 = 4;

    #[tokio::test]
    async fn hashes_verify_and_look_like_upstreams() {
        let (hasher, me) = (Hasher::with_threads(1, FAST), Origin::named("me"));
        for password in ["secret", "", "with\0nul", &"é".repeat(36)] {
            let hash = hasher.hash(&me, password).await.unwrap();
            assert!(hash.starts_with("$2a$04$"), "{hash}");
            assert_eq!(hash.len(), 60);
            assert!(
                hasher
                    .verify(&me, password, &hash, Uuid::nil())
                    .await
                    .unwrap()
            );
            assert!(
                !hasher
                    .verify(&me, "something else", &hash, Uuid::nil())
                    .await
                    .unwrap()
            );
            hasher.verify_nothing(&me, password).await.unwrap();
        }
    }

    #[tokio::test]
    async fn bcrypt_looks_at_72_bytes_of_a_password_as_upstreams_does() {
        let (hasher, me) = (Hasher::with_threads(1, FAST), Origin::named("me"));
        let known = "x".repeat(72);
        let hash = hasher.hash(&me, &known).await.unwrap();
        let endless = known.repeat(10_000);
        assert!(
            hasher
                .verify(&me, &endless, &hash, Uuid::nil())
                .await
                .unwrap()
        );
        assert!(
            !hasher
                .verify(&me, &known[1..], &hash, Uuid::nil())
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn other_hashes_match_no_password_longer_than_their_limit() {
        let (hasher, me) = (Hasher::with_threads(1, FAST), Origin::named("me"));
        let hash_of = |password: &str| {
            let params = argon2::Params::new(8, 1, 1, Some(32)).unwrap();
            let mut hash = [0; 32];
            argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params)
                .hash_password_into(password.as_bytes(), b"wildfire-salt", &mut hash)
                .unwrap();
            let encode = |bytes: &[u8]| STANDARD_NO_PAD.encode(bytes);
            let (salt, hash) = (encode(b"wildfire-salt"), encode(&hash));
            format!("$argon2id$v=19$m=8,t=1,p=1${salt}${hash}")
        };
        let longest = "x".repeat(LONGEST_FOREIGN);
        let too_long = format!("{longest}x");
        for (known, given, expected) in [
            (&longest, &longest, true),
            (&longest, &too_long, false),
            (&too_long, &too_long, false),
        ] {
            let hash = hash_of(known);
            assert_eq!(
                hasher.verify(&me, given, &hash, Uuid::nil()).await.unwrap(),
                expected
            );
        }
    }

    #[test]
    fn no_more_of_a_password_waits_than_a_hash_looks_at() {
        assert_eq!(
            used_of(&"x".repeat(1 << 20), BCRYPT_USES).len(),
            BCRYPT_USES
        );
    }

    #[tokio::test]
    async fn hashes_made_by_go_are_accepted() {
        let (hasher, me) = (Hasher::with_threads(1, FAST), Origin::named("me"));
        let hash = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
        assert!(
            !hasher
                .verify(&me, "not it", hash, Uuid::nil())
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn nothing_is_behind_a_hash_that_cannot_be_checked_and_that_takes_a_hash() {
        let (hasher, me) = (Hasher::with_threads(1, 10), Origin::named("me"));
        let verified = async |hash: &str| {
            let started = std::time::Instant::now();
            let found = hasher.verify(&me, "x", hash, Uuid::nil()).await.unwrap();
            assert!(!found, "{hash}");
            started.elapsed()
        };
        let wrong = hasher.hash(&me, "not it").await.unwrap();
        let usual = verified(&wrong).await;
        // Worked off it would take 128 times as long.
        let costly = wrong.replace("$2a$10$", "$2a$17$");
        for hash in ["not a hash", "$argon2id$v=19$nonsense", &costly] {
            let took = verified(hash).await;
            assert!(took > usual / 100, "{hash}");
            assert!(took < usual * 60, "{hash}");
        }
    }

    #[tokio::test]
    async fn a_full_queue_turns_callers_away_at_once() {
        let (hasher, me) = (Hasher::with_threads(1, 8), Origin::named("me"));
        let waiting: Vec<_> = (0..100).map(|_| hasher.hash(&me, "password")).collect();
        let outcomes = futures_util::future::join_all(waiting).await;
        let refused = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        assert!(refused > 0, "nobody was turned away");
        assert!(refused < 100, "nobody was served");
    }

    #[tokio::test]
    async fn a_flood_from_one_client_leaves_room_for_another() {
        let hasher = Hasher::with_threads(1, FAST);
        let (flood, honest) = (Origin::named("flood"), Origin::named("honest"));
        let flooding: Vec<_> = (0..500).map(|_| hasher.hash(&flood, "password")).collect();
        let honest = async { hasher.hash(&honest, "password").await };
        let (flooded, served) =
            futures_util::join!(futures_util::future::join_all(flooding), honest);
        assert!(flooded.iter().any(Result::is_err), "nobody was turned away");
        assert!(served.is_ok());
    }

    /// However many clients try passwords on a hash that takes long, nobody else waits for them.
    #[tokio::test]
    async fn costly_hashes_keep_nobody_else_waiting() {
        let hasher = Hasher::with_threads(1, FAST);
        let costly = format!("$2a$14${}", "a".repeat(53));
        let tries = (0..8).map(async |client| {
            let origin = Origin::named(&format!("192.0.2.{client}"));
            hasher
                .verify(&origin, "password", &costly, Uuid::nil())
                .await
        });
        let tries = std::pin::pin!(futures_util::future::join_all(tries));
        let honest = Origin::named("honest");
        let honest = std::pin::pin!(hasher.hash(&honest, "password"));
        let first = futures_util::future::select(tries, honest).await;
        let Either::Right((served, _)) = first else {
            panic!("the costly ones came first")
        };
        assert!(served.is_ok());
    }

    #[test]
    fn the_room_follows_what_hashing_takes() {
        let hasher = Hasher::with_threads(0, FAST);
        let mut desk = hasher.usual.shared.desk();
        assert_eq!(desk.room(2), 200);
        for (took, room) in [(200, 50), (5000, FEWEST_WAITING)] {
            for _ in 0..200 {
                desk.measured(Duration::from_millis(took));
            }
            assert_eq!(desk.room(2), room);
        }
    }
}
