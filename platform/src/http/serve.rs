//! Serving a single service until a signal asks to stop.

use std::io;
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::web::{JsonConfig, ServiceConfig};
use actix_web::{App, HttpServer};

use super::observe;

/// Where and how to listen.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Address, such as `0.0.0.0`.
    pub host: String,
    /// Port; 0 picks a free one.
    pub port: u16,
    /// Threads that handle requests.
    pub workers: usize,
}

/// Time open requests get to finish after a signal.
pub const SHUTDOWN: Duration = Duration::from_secs(30);

/// Time a client has to send its request head: a slow one must not hold a connection.
pub const REQUEST_HEAD: Duration = Duration::from_secs(10);

/// Serves `configure` until SIGINT or SIGTERM, then lets open requests finish.
pub async fn run_until_stopped<F>(options: ServeOptions, configure: F) -> io::Result<()>
where
    F: Fn(&mut ServiceConfig) + Clone + Send + 'static,
{
    let server = HttpServer::new(move || {
        App::new()
            .app_data(JsonConfig::default().limit(1024 * 1024))
            .wrap(from_fn(observe))
            .configure(configure.clone())
    })
    .workers(options.workers)
    .client_request_timeout(REQUEST_HEAD)
    .shutdown_timeout(SHUTDOWN.as_secs())
    .bind((options.host.as_str(), options.port))?;
    for address in server.addrs() {
        tracing::info!(%address, "listening");
    }
    server.run().await
}
