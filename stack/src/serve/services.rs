//! The services of this process: their states, built once, and where they are mounted.

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use platform::clock::Clock;
use platform::env::{EnvError, Vars};

use crate::mailbox::Store;

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Settings that are wrong, all at once.
    #[error(transparent)]
    Settings(#[from] EnvError),
}

/// The states of all services; cloning shares them.
#[derive(Clone)]
pub(super) struct Services;

impl Services {
    pub(super) fn start(_: &Vars, _: Arc<Store>, _: &Clock) -> Result<Self, ServiceError> {
        Ok(Self)
    }

    pub(super) fn configure(&self, _: &mut ServiceConfig) {}

    pub(super) async fn flush(&self) {
        std::future::ready(()).await;
    }
}
