//! Starting the server again when it ends by itself.
//!
//! A server that was killed, or that gave up for want of disk, must not take the services down
//! with it: they say "later" and find it again at the same address. Nothing here creates or
//! deletes data; a folder that is gone is waited for.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use super::builder::blocking;
use super::data_dir::{self, State};
use super::error::ClusterError;
use super::{Cluster, hold, leftover};

/// A server that ends sooner is not started again before: it must not keep the machine busy.
const SHORTEST_LIFE: Duration = Duration::from_millis(500);
/// The pause after the first start that fails; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const HELD_POLL: Duration = Duration::from_millis(20);

impl Cluster {
    /// Starts the server again whenever it ends, until this is dropped. Dropping it in the middle
    /// of a start stops that start.
    pub async fn keep_running(&mut self) -> Infallible {
        loop {
            let up = Instant::now();
            self.server.exited().await;
            let ended = Instant::now();
            if hold::is_held(self.data_dir()) {
                tracing::warn!(
                    "Postgres was stopped by another command; starting it again after that"
                );
            } else {
                tracing::error!(
                    postgres.pid = self.pid(),
                    postgres.log = %data_dir::log_path(self.data_dir()).display(),
                    "Postgres ended unexpectedly; starting it again"
                );
            }
            tokio::time::sleep(SHORTEST_LIFE.saturating_sub(up.elapsed())).await;
            let mut pause = FIRST_PAUSE;
            while let Err(error) = self.restart().await {
                let retry_ms = pause.as_millis();
                tracing::error!(%error, retry_ms, "Postgres cannot be started again; trying on");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            let away_ms = ended.elapsed().as_millis();
            tracing::warn!(postgres.pid = self.pid(), away_ms, "Postgres is back");
        }
    }

    async fn restart(&mut self) -> Result<(), ClusterError> {
        while hold::is_held(self.data_dir()) {
            tokio::time::sleep(HELD_POLL).await;
        }
        let path = self.data_dir().to_owned();
        let binaries = self.prepared.binaries.clone();
        blocking(move || {
            leftover::clear(&path)?;
            match data_dir::inspect(&path, &binaries)? {
                State::Ready => Ok(()),
                State::Missing => Err(ClusterError::DataGone { path }),
            }
        })
        .await?;
        let launched = self.builder.launch(&self.prepared)?;
        let ready = self
            .builder
            .wait_until_ready(&launched, &self.prepared, None);
        match ready.await {
            // A password that was changed meanwhile, or all connections taken: it answers.
            Ok(_) | Err(ClusterError::Refused(_)) => {
                self.server = launched.server;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
