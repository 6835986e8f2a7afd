//! How far it is, and whether it is still wanted: shared by the thread that copies and whoever waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

const AT_WORK: u8 = 0;
const STOPPED: u8 = 1;
const ENDING: u8 = 2;

/// Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicU64,
    /// Stopped or ending, whichever is first.
    state: AtomicU8,
}

impl Progress {
    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Ends the work at its next step; not when all that is left is to bring it to the disk.
    pub fn stop(&self) -> bool {
        self.becomes(STOPPED)
    }

    /// Begins the last steps, which nobody can stop, unless it was stopped before.
    pub(super) fn end(&self) -> bool {
        self.becomes(ENDING)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.0.state.load(Ordering::Relaxed) == STOPPED
    }

    pub(super) fn add(&self, bytes: usize) {
        self.0.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn becomes(&self, state: u8) -> bool {
        let (order, shared) = (Ordering::Relaxed, &self.0.state);
        let before = shared.compare_exchange(AT_WORK, state, order, order);
        before.is_ok() || before == Err(state)
    }
}
