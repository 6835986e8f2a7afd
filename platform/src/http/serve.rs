//! Serving a single service until a signal asks to stop.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};

use actix_web::App;
use actix_web::middleware::from_fn;
use actix_web::web::ServiceConfig;
use tokio::net::TcpSocket;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::forwarded::TrustedProxies;
use crate::telemetry::traces::TracesConfig;

use super::{AnsweredBy, Connections, HttpConfig, observe, serve, stop};

/// Where and how to listen.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Address, such as `0.0.0.0`.
    pub host: String,
    /// Port; 0 picks a free one.
    pub port: u16,
    /// Threads that handle requests.
    pub workers: usize,
    /// What clients are allowed.
    pub http: HttpConfig,
    /// Where traces are sent, if anywhere.
    pub traces: Option<TracesConfig>,
}

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Serves `configure`, the service `name`, until SIGINT, SIGTERM or `stopping` is cancelled, which
/// follows those; then has open requests answered.
pub async fn run_until_stopped<F>(
    options: ServeOptions,
    name: &'static str,
    stopping: &CancellationToken,
    configure: F,
) -> io::Result<()>
where
    F: Fn(&mut ServiceConfig) + Clone + Send + 'static,
{
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let listeners = bind(&options)?;
    let proxies = TrustedProxies(options.http.trusted_proxies);
    let connections = Connections::new(options.http);
    let server = serve(&connections, options.workers, listeners, move || {
        App::new()
            .app_data(proxies)
            .app_data(AnsweredBy(name))
            .wrap(from_fn(observe))
            .configure(configure.clone())
    })?;
    let handle = server.handle();
    let mut server = std::pin::pin!(server);
    tokio::select! {
        outcome = &mut server => return outcome,
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = stopping.cancelled() => {}
    }
    stopping.cancel();
    let handles = [handle];
    let (outcome, ()) = tokio::join!(server, stop(&connections, &handles));
    outcome
}

/// Opens every address of the host that can be opened.
fn bind(options: &ServeOptions) -> io::Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    let mut failed = None;
    for address in (options.host.as_str(), options.port).to_socket_addrs()? {
        match bind_one(address) {
            Ok(listener) => listeners.push(listener),
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if listeners.is_empty() => Err(error),
        _ => Ok(listeners),
    }
}

fn bind_one(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?.into_std()?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    Ok(listener)
}
