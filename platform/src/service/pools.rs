//! The connections of a house to its database: seen in the metrics, and closed at the end.

use std::sync::{Arc, Mutex, PoisonError};

use crate::pg::Database;
use crate::telemetry::{Metrics, count};

/// All pools of a house; cloning shares them.
#[derive(Clone, Default)]
pub struct Pools(Arc<Mutex<Vec<Arc<Database>>>>);

impl Pools {
    /// Takes note of a service's pool.
    pub(super) fn add(&self, metrics: Metrics, role: &'static str, database: &Database) {
        let metrics = metrics.part("role", role);
        let pool = Arc::new(database.clone());
        let (open, idle) = ("database_connections", "database_connections_idle");
        metrics.gauge(open, "Connections to the database", &pool, |pool| {
            count(pool.crowd().open)
        });
        metrics.gauge(idle, "Those that nobody uses", &pool, |pool| {
            count(pool.crowd().idle)
        });
        let waiting = "database_connections_waiting";
        metrics.gauge(waiting, "Who waits for a connection", &pool, |pool| {
            count(pool.crowd().waiting)
        });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(pool);
    }

    /// Closes all, so that nothing is heard of a database that ends next.
    pub fn close(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for pool in all.drain(..) {
            pool.close();
        }
    }
}
