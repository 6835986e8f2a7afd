//! What the layer around the application and the handlers know together about a request.

use std::cell::Cell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::{HttpMessage as _, HttpRequest};

use super::config::BodyRules;
use super::connection::Connection;

/// What the layer and the handlers share about a request.
pub(super) struct Shared {
    pub(super) rules: Cell<BodyRules>,
    pub(super) connection: Arc<Connection>,
    pub(super) client: Option<IpAddr>,
    pub(super) has_body: bool,
    /// How long a client may say nothing who no longer speaks HTTP.
    pub(super) silence: Duration,
    /// Bytes of the body that has been read.
    pub(super) kept: Cell<usize>,
}

impl Shared {
    pub(super) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get::<Rc<Self>>().cloned()
    }

    pub(super) fn hold(&self, bytes: usize) {
        self.connection.hold(self.client, bytes);
    }

    pub(super) fn release(&self, bytes: usize) {
        if bytes > 0 {
            self.connection.release(self.client, bytes);
        }
    }

    /// Bytes that are held because the client sends them are from now on held for the work on his
    /// request, until that is done.
    pub(super) fn keep(&self, bytes: usize) {
        self.connection.hand_over(bytes);
        self.kept.set(self.kept.get() + bytes);
    }

    pub(super) fn release_kept(&self) {
        let kept = self.kept.take();
        if kept > 0
            && let Some(all) = self.connection.all()
        {
            all.release(self.client, kept);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let all = self.connection.all();
        all.is_some_and(|all| all.is_full(self.client))
    }
}
