//! Until when a connection stays open, and which makes room for others first.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::{Connection, Phase};
use crate::telemetry::CloseReason;

/// How long after the end of the process has begun a client may take nothing of its answer, or go on
/// sending what its request was answered without.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Connection {
    /// When this connection has to be closed unless something happens, and why.
    pub(in crate::http) fn deadline(&self) -> Option<(Instant, CloseReason)> {
        let all = self.all.upgrade()?;
        let config = &all.config;
        let since = self.since.load(Relaxed);
        let in_phase = match self.phase() {
            Phase::New => Some((config.first_byte_timeout, CloseReason::NoFirstByte)),
            Phase::Head => Some((config.head_timeout, CloseReason::SlowHead)),
            Phase::Idle => Some((config.keep_alive, CloseReason::Idle)),
            Phase::Drain => Some((config.head_timeout, CloseReason::BodyRefused)),
            Phase::Raw => {
                let silence = Duration::from_micros(self.silence.load(Relaxed));
                Some((silence, CloseReason::Idle))
            }
            Phase::Busy => None,
        };
        let in_phase = in_phase.map(|(time, reason)| (since, time, reason));
        let blocked = self.blocked.load(Relaxed).checked_sub(1);
        let write = blocked.map(|at| (at, config.write_timeout, CloseReason::NotReading));
        let usual = [in_phase, write].into_iter().flatten();
        let usual = usual.filter(|(_, time, _)| !time.is_zero());
        let stopped = all.stopped.get();
        let last = stopped.and_then(|stopped| self.last_deadline(*stopped, since, blocked));
        usual
            .chain(last)
            .map(|(at, time, reason)| {
                let at = Duration::from_micros(at);
                (self.opened + at + time, reason)
            })
            .min_by_key(|(at, _)| *at)
    }

    /// The same for a process that ends. Whoever waits for his answer gets it; whoever has not sent a
    /// request yet sends it to the next process.
    fn last_deadline(
        &self,
        stopped: Instant,
        since: u64,
        blocked: Option<u64>,
    ) -> Option<(u64, Duration, CloseReason)> {
        let stopped = stopped.saturating_duration_since(self.opened).as_micros();
        let stopped = u64::try_from(stopped).unwrap_or(u64::MAX);
        let (at, time) = match (self.phase(), blocked) {
            (_, Some(at)) => (at, LAST_WORDS),
            (Phase::New | Phase::Head, None) => (stopped, Duration::ZERO),
            (Phase::Idle | Phase::Drain, None) => (since, LAST_WORDS),
            // Its service has heard before, and may have said goodbye.
            (Phase::Raw, None) => (stopped, LAST_WORDS),
            (Phase::Busy, None) => return None,
        };
        Some((at.max(stopped), time, CloseReason::Stopping))
    }

    /// When the body that is being sent has to be there because the process ends.
    pub(in crate::http) fn last_upload(&self) -> Option<Instant> {
        let all = self.all.upgrade()?;
        let stopped = all.stopped.get()?;
        Some(*stopped + all.config.last_uploads)
    }

    /// Whether it may make room for a newer one that has sent no request yet either: its client has
    /// had time to send one, and it is not being served, or has been for long.
    pub(in crate::http) fn may_give_way(&self) -> bool {
        const GRACE: Duration = Duration::from_millis(500);
        const LONG: Duration = Duration::from_secs(5);
        let is_served = self.phase() == Phase::Busy;
        self.opened.elapsed() > if is_served { LONG } else { GRACE }
    }

    /// How dispensable this connection is, the more the greater: first those where nothing happens,
    /// then those whose client is slow to send; none while it is this process that works.
    pub(in crate::http) fn dispensable(&self) -> Option<(bool, Duration)> {
        const SLOW: Duration = Duration::from_secs(1);
        let in_phase = self.time_since(self.since.load(Relaxed));
        let blocked = self.blocked.load(Relaxed).checked_sub(1);
        let (nothing_happens, age) = match (self.phase(), blocked) {
            (_, Some(at)) => (true, Some(self.time_since(at)).filter(|age| *age > SLOW)),
            (Phase::Busy, None) => {
                let slow = self.uploading.load(Relaxed) && in_phase > SLOW;
                (false, slow.then_some(in_phase))
            }
            // A client notices, and has to begin anew.
            (Phase::Raw, None) => (false, Some(in_phase).filter(|age| *age > SLOW)),
            _ => (true, Some(in_phase)),
        };
        Some((nothing_happens, age?))
    }
}
