//! What outlives a request: background work and sockets, told of the end and waited for.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::telemetry::traces::TraceContext;

/// The tasks of a house; cloning shares them.
#[derive(Clone)]
pub struct Tasks {
    /// That of the process. A request's own ends with its worker, before the tasks are waited for.
    runtime: Handle,
    stopping: CancellationToken,
    tracker: TaskTracker,
}

impl Tasks {
    /// None yet. They run on the runtime this is called in.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[expect(
        clippy::new_without_default,
        reason = "it depends on where it is called"
    )]
    pub fn new() -> Self {
        Self {
            runtime: Handle::current(),
            stopping: CancellationToken::new(),
            tracker: TaskTracker::new(),
        }
    }

    /// Runs a task that ends by itself soon after [`Self::stopping`] is cancelled. One that a request
    /// begins belongs to it, in the log and in whatever it asks of others.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let task = TraceContext::within(TraceContext::current(), task);
        self.tracker.spawn_on(task.in_current_span(), &self.runtime)
    }

    /// Runs `work` now and whenever so much time has passed since, until the end. A round that has
    /// begun is finished.
    pub fn repeat<F, W>(&self, period: Duration, mut work: F)
    where
        F: FnMut() -> W + Send + 'static,
        W: Future<Output = ()> + Send,
    {
        let stopping = self.stopping.clone();
        self.spawn(async move {
            while !stopping.is_cancelled() {
                work().await;
                let pause = tokio::time::sleep(period);
                stopping.run_until_cancelled(pause).await;
            }
        });
    }

    /// Cancelled when the process is to end.
    pub fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Tells every task that the end has come; returns at once.
    pub fn stop(&self) {
        self.stopping.cancel();
        self.tracker.close();
    }

    /// Waits until no task is left, but no longer than this. Returns whether none is.
    pub async fn wait(&self, most: Duration) -> bool {
        let ended = tokio::time::timeout(most, self.tracker.wait()).await;
        if ended.is_err() {
            tracing::warn!(tasks = self.tracker.len(), "Some tasks did not end in time");
        }
        ended.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_round_that_has_begun_is_finished_and_no_other_follows() {
        let tasks = Tasks::new();
        let rounds = Arc::new(AtomicUsize::new(0));
        let (counted, told) = (Arc::clone(&rounds), tasks.clone());
        tasks.repeat(Duration::ZERO, move || {
            let (counted, told) = (Arc::clone(&counted), told.clone());
            async move {
                told.stop();
                tokio::task::yield_now().await;
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert!(tasks.wait(Duration::from_mins(1)).await);
        assert_eq!(rounds.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_task_that_does_not_listen_is_not_waited_for_longer_than_asked() {
        let tasks = Tasks::new();
        tasks.spawn(std::future::pending::<()>());
        tasks.stop();
        assert!(!tasks.wait(Duration::ZERO).await);
    }
}
