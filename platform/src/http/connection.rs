//! What is known about one connection: which part of an exchange it is in, since when, and how
//! much memory it makes this process hold.

use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use actix_web::rt::net::TcpStream;
use bytes::Bytes;
use futures_util::task::AtomicWaker;

use super::framing::{BodyLength, Part};
use crate::telemetry::CloseReason;

mod all;
mod deadlines;

pub use all::{Connections, network};

/// Most bytes of a request head; the read that passes it may bring more.
const MAX_HEAD: usize = 32 << 10;

/// Bytes that may have been read of a body and not yet been taken by who handles it; and of one that
/// may come in pieces of a byte, each of which takes six to send and fifty to keep.
const MAX_UNREAD: usize = 64 << 10;
const MAX_UNREAD_CHUNKS: usize = 2 << 10;

/// Most bytes read at once. What is above offers room for more after a long body, would fill it, and
/// double it, and keep it.
const READ: usize = 8 << 10;
const READ_OF_CHUNKS: usize = 4 << 10;

/// So much may have been received and not be part of a request yet without being counted: it is
/// less than what a connection takes anyway, and enough for most heads.
const SMALL_UNREAD: usize = 4 << 10;

/// How much is read and thrown away of a body that its request was answered without, so that a
/// client which sends before it listens gets to see the answer.
const MAX_DRAINED: usize = 2 << 20;

/// Where in an exchange a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// Accepted, nothing received.
    New,
    /// Part of a head received.
    Head,
    /// A request is being handled or its answer taken.
    Busy,
    /// Between requests.
    Idle,
    /// Answered before the body had arrived; the rest of it is thrown away.
    Drain,
    /// No HTTP any more: a service has claimed it.
    Raw,
}

/// What may be read from a connection now.
pub(super) enum Room {
    /// So many bytes.
    Some(usize),
    /// Nothing until what there is has been taken, or the request answered.
    Later,
    /// The client has sent more than it may.
    Exceeded(CloseReason),
}

/// What goes on with a connection that no longer speaks HTTP, given the stream and what has been read
/// ahead of it.
pub(super) type TakeOver = Box<dyn FnOnce(TcpStream, Bytes, Arc<Connection>) + Send>;

/// One open connection, shared by its stream, its requests and the list of all.
pub(super) struct Connection {
    pub(super) id: u64,
    /// The address or network it counts against; none behind trusted proxies.
    pub(super) network: Option<IpAddr>,
    pub(super) waker: AtomicWaker,
    all: Weak<Connections>,
    opened: Instant,
    phase: AtomicU8,
    /// When the phase began, in microseconds since `opened`, like all times here.
    since: AtomicU64,
    /// Received in this phase.
    received: AtomicUsize,
    /// Received and not yet part of a request that is being handled, about.
    unread: AtomicUsize,
    /// How much of that, and of what has been read ahead, is counted as held.
    counted: AtomicUsize,
    /// What the next bytes belong to.
    part: Mutex<Part>,
    paused: AtomicBool,
    proven: AtomicBool,
    /// Whether part of the request's body has not arrived.
    uploading: AtomicBool,
    /// When the client stopped taking what is written, plus one; zero while it takes.
    blocked: AtomicU64,
    /// Bytes of answers that he does not take, and whose client that is.
    unwritten: AtomicUsize,
    client: Mutex<Option<IpAddr>>,
    held: AtomicUsize,
    held_since: AtomicU64,
    /// Zero, or one more than the reason for which it has to close.
    closing: AtomicU8,
    /// Who gets it as soon as the answer that says so is written.
    claim: Mutex<Option<TakeOver>>,
    /// For how long then nothing may come, in microseconds; zero is for ever.
    silence: AtomicU64,
}

impl Connection {
    pub(super) fn new(id: u64, network: Option<IpAddr>, all: Weak<Connections>) -> Self {
        Self {
            id,
            network,
            waker: AtomicWaker::new(),
            all,
            opened: Instant::now(),
            phase: AtomicU8::new(Phase::New as u8),
            since: AtomicU64::new(0),
            received: AtomicUsize::new(0),
            unread: AtomicUsize::new(0),
            counted: AtomicUsize::new(0),
            part: Mutex::default(),
            paused: AtomicBool::new(false),
            proven: AtomicBool::new(false),
            uploading: AtomicBool::new(false),
            blocked: AtomicU64::new(0),
            unwritten: AtomicUsize::new(0),
            client: Mutex::new(network),
            held: AtomicUsize::new(0),
            held_since: AtomicU64::new(0),
            closing: AtomicU8::new(0),
            claim: Mutex::default(),
            silence: AtomicU64::new(0),
        }
    }

    /// Microseconds since this connection was accepted.
    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn phase(&self) -> Phase {
        match self.phase.load(Relaxed) {
            0 => Phase::New,
            1 => Phase::Head,
            2 => Phase::Busy,
            3 => Phase::Idle,
            4 => Phase::Drain,
            _ => Phase::Raw,
        }
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.now(), Relaxed);
        self.received.store(0, Relaxed);
    }

    fn part(&self) -> MutexGuard<'_, Part> {
        self.part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What may be read now.
    pub(super) fn room(&self) -> Room {
        let mut part = self.part();
        if self.phase() == Phase::Drain && part.is_over() {
            self.enter(Phase::Idle);
            *part = Part::default();
        }
        let received = self.received.load(Relaxed);
        let later = match self.phase() {
            Phase::New | Phase::Head | Phase::Idle if received >= MAX_HEAD => {
                return Room::Exceeded(CloseReason::HeadTooLarge);
            }
            Phase::Drain if received >= MAX_DRAINED => {
                return Room::Exceeded(CloseReason::BodyRefused);
            }
            Phase::Busy if part.is_chunks() => received >= MAX_UNREAD_CHUNKS,
            Phase::Busy => received >= MAX_UNREAD || part.is_over(),
            // Whoever does not take one answer is not given another.
            Phase::Idle => self.unwritten.load(Relaxed) > 0,
            _ => part.is_over(),
        };
        if later {
            Room::Later
        } else if part.is_chunks() {
            Room::Some(READ_OF_CHUNKS)
        } else {
            Room::Some(READ)
        }
    }

    /// There is something to read that may not be read yet: whatever changes that wakes the stream.
    pub(super) fn pause(&self) {
        self.paused.store(true, Relaxed);
    }

    /// Bytes have come from the client. Returns how many of them may be handed over: the others
    /// are behind the end of the part that they begin with.
    pub(super) fn receive(&self, bytes: &[u8]) -> usize {
        let mut part = self.part();
        let own = part.take(bytes);
        if matches!(self.phase(), Phase::New | Phase::Idle) && !part.is_blank() {
            self.enter(Phase::Head);
        }
        self.received.fetch_add(own, Relaxed);
        if self.phase() != Phase::Drain {
            self.unread.fetch_add(own, Relaxed);
        }
        own
    }

    /// Who handles the request has taken bytes of its body.
    pub(super) fn has_taken(&self, bytes: usize) {
        let unread = self.unread.load(Relaxed);
        self.unread.store(unread.saturating_sub(bytes), Relaxed);
    }

    /// Counts what nobody has taken yet: bytes that were handed over, and those read `ahead`.
    pub(super) fn count_unread(&self, ahead: usize) {
        let unread = self.unread.load(Relaxed) + ahead;
        let unread = if unread > SMALL_UNREAD { unread } else { 0 };
        let counted = self.counted.swap(unread, Relaxed);
        if unread > counted {
            self.hold(self.network, unread - counted);
            let all = self.all.upgrade();
            if self.is_in_head() && all.is_some_and(|all| all.is_full(self.network)) {
                self.close(CloseReason::Holding);
            }
        } else if counted > unread {
            self.release(self.network, counted - unread);
        }
    }

    /// The connection is closed, its buffers are gone.
    pub(super) fn forget_buffers(&self) {
        self.unread.store(0, Relaxed);
        self.count_unread(0);
        self.set_unwritten(0);
    }

    /// Everything received of a body has been taken.
    pub(super) fn caught_up(&self) {
        if self.phase() == Phase::Busy {
            self.received.store(0, Relaxed);
            self.unread.store(0, Relaxed);
            self.resume();
        }
    }

    fn resume(&self) {
        if self.paused.swap(false, Relaxed) {
            self.waker.wake();
        }
    }

    /// The head of a client's request is complete, and a body of this length follows, if any.
    pub(super) fn begin(&self, client: Option<IpAddr>, body: Option<BodyLength>) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
        self.unread.store(0, Relaxed);
        self.uploading.store(body.is_some(), Relaxed);
        self.enter(Phase::Busy);
        if let Some(length) = body {
            *self.part() = Part::body(length);
            self.resume();
        }
    }

    /// All of a request's body has arrived.
    pub(super) fn has_arrived(&self) {
        self.uploading.store(false, Relaxed);
    }

    /// A request has an answer.
    pub(super) fn prove(&self) {
        if !self.proven.swap(true, Relaxed)
            && let Some(all) = self.all.upgrade()
        {
            all.prove(self);
        }
    }

    /// Whether part of the request's body has not arrived.
    pub(super) fn is_uploading(&self) -> bool {
        self.uploading.load(Relaxed)
    }

    /// The answer says that the connection is this claim's from then on.
    pub(super) fn claim(&self, claim: TakeOver, silence: Duration) {
        *self.claimed() = Some(claim);
        self.set_silence(silence);
        self.enter(Phase::Raw);
    }

    /// Whose the connection is, once.
    pub(super) fn take_claim(&self) -> Option<TakeOver> {
        let is_raw = self.phase() == Phase::Raw;
        is_raw.then(|| self.claimed().take()).flatten()
    }

    fn claimed(&self) -> MutexGuard<'_, Option<TakeOver>> {
        self.claim.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes have come from a client that no longer speaks HTTP.
    pub(super) fn has_spoken(&self) {
        self.since.store(self.now(), Relaxed);
    }

    /// Such a client may say nothing for so long; zero is for ever.
    pub(super) fn set_silence(&self, most: Duration) {
        let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
        self.silence.store(most, Relaxed);
    }

    /// The answer is on its way.
    pub(super) fn finish(&self) {
        self.unread.store(0, Relaxed);
        if self.phase() == Phase::Raw {
            return;
        }
        if self.uploading.load(Relaxed) {
            self.enter(Phase::Drain);
        } else {
            self.enter(Phase::Idle);
            *self.part() = Part::default();
        }
        self.resume();
    }

    /// The client takes nothing of these bytes of answers.
    pub(super) fn is_blocked(&self, unwritten: usize) {
        if self.blocked.load(Relaxed) == 0 {
            self.blocked.store(self.now() + 1, Relaxed);
        }
        self.set_unwritten(unwritten);
    }

    /// The client has taken something, and has so many bytes left to take.
    pub(super) fn has_written(&self, left: usize) {
        self.blocked.store(0, Relaxed);
        // What he has not been asked to take yet does not count.
        if self.unwritten.load(Relaxed) > 0 {
            self.set_unwritten(left);
        }
    }

    /// Who was taken for one that takes nothing is none if he has since.
    pub(super) fn unblock_if(&self, takes_more: impl FnOnce() -> bool) {
        let blocked = self.blocked.load(Relaxed);
        let forget = || self.blocked.compare_exchange(blocked, 0, Relaxed, Relaxed);
        if blocked > 0 && takes_more() && forget().is_ok() {
            self.set_unwritten(0);
        }
    }

    /// Counts what waits for the client. Nothing is begun for another before it is gone.
    fn set_unwritten(&self, unwritten: usize) {
        let counted = self.unwritten.swap(unwritten, Relaxed);
        let client = self.client();
        if unwritten > counted {
            self.hold(client, unwritten - counted);
        } else if counted > unwritten {
            self.release(client, counted - unwritten);
        }
        if unwritten == 0 {
            self.resume();
        }
    }

    /// Whether a head has been begun that could be answered with 408.
    pub(super) fn is_in_head(&self) -> bool {
        self.phase() == Phase::Head
    }

    /// Tells this connection to close; it does as soon as it is polled.
    pub(super) fn close(&self, reason: CloseReason) {
        self.closing.store(reason as u8 + 1, Relaxed);
        self.waker.wake();
    }

    /// Why this connection has to close, if it has been told to.
    pub(super) fn told_to_close(&self) -> Option<CloseReason> {
        let reason = self.closing.load(Relaxed).checked_sub(1)?;
        CloseReason::ALL.get(usize::from(reason)).copied()
    }

    fn time_since(&self, at: u64) -> Duration {
        Duration::from_micros(self.now().saturating_sub(at))
    }

    /// For how long this connection has been holding bytes in flight without a pause.
    pub(super) fn holding_for(&self) -> Option<Duration> {
        let holds = self.held.load(Relaxed) > 0;
        holds.then(|| self.time_since(self.held_since.load(Relaxed)))
    }

    /// Counts bytes that are held because of this connection until [`Self::release`].
    pub(super) fn hold(&self, client: Option<IpAddr>, bytes: usize) {
        if self.held.fetch_add(bytes, Relaxed) == 0 {
            self.held_since.store(self.now(), Relaxed);
        }
        if let Some(all) = self.all.upgrade() {
            all.hold(client, bytes);
        }
    }

    pub(super) fn release(&self, client: Option<IpAddr>, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
        if let Some(all) = self.all.upgrade() {
            all.release(client, bytes);
        }
    }

    /// Bytes held because of this connection are from now on held for the work on its request.
    pub(super) fn hand_over(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Whose request was the last.
    pub(super) fn client(&self) -> Option<IpAddr> {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes held because of this connection.
    pub(super) fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// The list this connection is in.
    pub(super) fn all(&self) -> Option<Arc<Connections>> {
        self.all.upgrade()
    }
}
