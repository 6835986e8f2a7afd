//! Closed-loop load: a number of connections that each send the next request when the answer to
//! the last is there.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use crate::Failure;
use crate::http::{Connection, Request};

/// What a run of load came to.
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

/// Sends `requests` (each connection its own, in a cycle) for `duration` and expects success.
pub(crate) async fn run(
    port: u16,
    connections: usize,
    duration: Duration,
    requests: &[Request],
) -> Result<Measured, Failure> {
    let started = Instant::now();
    let workers = (0..connections).map(async |index| -> Result<Vec<Duration>, Failure> {
        let mut connection = Connection::open(port).await?;
        let request = &requests[index % requests.len()];
        let mut taken = Vec::with_capacity(64 * 1024);
        while started.elapsed() < duration {
            let sent = Instant::now();
            let answer = connection.call(request).await?;
            if answer.status >= 300 {
                let body = String::from_utf8_lossy(&answer.body);
                return Err(format!("status {} under load: {body}", answer.status).into());
            }
            taken.push(sent.elapsed());
        }
        Ok(taken)
    });
    let taken = try_join_all(workers).await?.concat();
    summarise(taken, started.elapsed())
}

/// How long whoever was told to come again stays away.
const PAUSE: Duration = Duration::from_millis(100);

/// Sends a request over so many connections for `duration`, and takes it well to be told to come again:
/// one client has only a share of what can wait.
pub(crate) async fn press(
    port: u16,
    connections: usize,
    duration: Duration,
    request: &Request,
) -> Result<(), Failure> {
    let started = Instant::now();
    let workers = (0..connections).map(async |_| -> Result<(), Failure> {
        let mut connection = Connection::open(port).await?;
        while started.elapsed() < duration {
            let answer = connection.call(request).await?;
            match answer.status {
                429 | 503 => tokio::time::sleep(PAUSE).await,
                ..300 => {}
                status => return Err(format!("status {status} under load").into()),
            }
        }
        Ok(())
    });
    try_join_all(workers).await.map(drop)
}

/// Rate and percentiles of single durations.
pub(crate) fn summarise(mut taken: Vec<Duration>, elapsed: Duration) -> Result<Measured, Failure> {
    taken.sort_unstable();
    let at = |share: usize| {
        taken
            .get((taken.len() * share / 100).min(taken.len() - 1))
            .copied()
    };
    let (Some(p50), Some(p99)) = (at(50), at(99)) else {
        return Err("nothing was measured".into());
    };
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let per_second = taken.len() as f64 / elapsed.as_secs_f64();
    Ok(Measured {
        per_second,
        p50,
        p99,
    })
}
