//! How all services of a house are.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::join_all;

use super::Service;
use crate::health::Health;

/// Longest a service may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who lives here. Keeps nobody alive: services hold the board, not the other way round.
#[derive(Clone, Default)]
pub struct Board(Arc<Mutex<Vec<Entry>>>);

type Entry = (&'static str, Weak<dyn Service>);

impl Board {
    pub(super) fn add(&self, name: &'static str, service: &Arc<dyn Service>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push((name, Arc::downgrade(service)));
    }

    /// Asks every service but one, all at once, in the order in which they were started. One that does
    /// not answer in time is down.
    pub async fn ask_all_but(&self, asker: &str) -> Vec<(&'static str, Health)> {
        let entries = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let others = entries.into_iter().filter(|(name, _)| *name != asker);
        let answers = others.filter_map(|(name, service)| {
            let service = service.upgrade()?;
            Some(async move {
                let answer = tokio::time::timeout(PATIENCE, service.health()).await;
                let silent = Health::down("A service does not say how it is");
                (name, answer.unwrap_or(silent))
            })
        });
        join_all(answers).await
    }
}
