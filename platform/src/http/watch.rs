//! Waits for what ends a connection from this side: a deadline, or somebody who needs its place.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;

use tokio::time::{Instant, Sleep, sleep_until};

use super::connection::Connection;
use crate::telemetry::{CloseReason, http_metrics};

/// Who looks after a connection.
pub(super) struct Watch {
    pub(super) connection: Arc<Connection>,
    timer: Pin<Box<Sleep>>,
}

impl Watch {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        let at = connection.deadline().map(|(at, _)| at.into());
        let timer = Box::pin(sleep_until(at.unwrap_or_else(Instant::now)));
        Self { connection, timer }
    }

    /// Why this connection has to close, if it has; else makes sure that this task looks again in
    /// time.
    pub(super) fn check(&mut self, cx: &mut Context<'_>) -> Option<CloseReason> {
        // First, so that nothing said meanwhile is missed.
        self.connection.waker.register(cx.waker());
        if let Some(reason) = self.connection.told_to_close() {
            return Some(reason);
        }
        while let Some((at, reason)) = self.connection.deadline() {
            let at = Instant::from(at);
            if at <= Instant::now() {
                return Some(reason);
            }
            // A deadline that moved away is noticed when the timer fires, which is cheaper than
            // setting it anew for every request.
            if self.timer.is_elapsed() || self.timer.deadline() > at {
                self.timer.as_mut().reset(at);
            }
            if self.timer.as_mut().poll(cx).is_pending() {
                break;
            }
        }
        None
    }

    /// The connection is closed.
    pub(super) fn end(&self, reason: CloseReason) {
        if let Some(all) = self.connection.all() {
            all.forget(&self.connection);
        }
        self.connection.forget_buffers();
        http_metrics().closed(reason);
    }
}
