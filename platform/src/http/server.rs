//! A server whose connections are all watched: what every port of every service is made of.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Protocol, Request, Response};
use actix_server::{Server, ServerBuilder, ServerHandle};
use actix_service::{
    IntoServiceFactory, Service, ServiceFactory, ServiceFactoryExt as _, apply_fn_factory,
    fn_service, map_config,
};
use actix_web::body::MessageBody;
use actix_web::dev::AppConfig;
use actix_web::rt::net::TcpStream;

use super::connection::Connection;
use super::connection::Connections;
use super::observe::refuse;
use super::requests::Exchange;
use super::stream::{LINGER, WatchedStream};
use crate::telemetry::http_metrics;

/// Time requests in flight get when the process ends.
pub const LONGEST_STOP: Duration = Duration::from_secs(30);

/// How many bytes of answers are collected before they are written, so also how many wait for a
/// client that takes none, besides one piece.
const WRITE_BUFFER: usize = 4 << 10;

/// Serves the application that `factory` makes, once per worker, on all `listeners`.
///
/// HTTP/1.1 only: see docs/decisions/0009-http-1-on-clear-text-ports.md.
pub fn serve<F, I, S, B>(
    connections: &Arc<Connections>,
    workers: usize,
    listeners: impl IntoIterator<Item = TcpListener>,
    factory: F,
) -> io::Result<Server>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig> + 'static,
    S::Error: Into<actix_web::Error> + 'static,
    S::InitError: fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    <S::Service as Service<Request>>::Future: 'static,
    S::Service: 'static,
    B: MessageBody + 'static,
{
    let mut builder = ServerBuilder::default().workers(workers).disable_signals();
    for listener in listeners {
        connections.come_from(&listener)?;
        builder = listen(builder, listener, connections, factory.clone())?;
    }
    Ok(builder.run())
}

/// Stops servers of these connections: lets no further ones in, has requests in flight answered within
/// a time, closes all others.
pub async fn stop(connections: &Connections, servers: &[ServerHandle]) {
    for server in servers {
        server.pause().await;
    }
    connections.close_doors();
    connections.drain(LONGEST_STOP).await;
    for server in servers {
        server.stop(false).await;
    }
}

fn listen<F, I, S, B>(
    builder: ServerBuilder,
    listener: TcpListener,
    connections: &Arc<Connections>,
    factory: F,
) -> io::Result<ServerBuilder>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig> + 'static,
    S::Error: Into<actix_web::Error> + 'static,
    S::InitError: fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    <S::Service as Service<Request>>::Future: 'static,
    S::Service: 'static,
    B: MessageBody + 'static,
{
    let address = listener.local_addr()?;
    let connections = Arc::clone(connections);
    builder.listen(address.to_string(), listener, move || {
        let stopping = connections.stopping.clone();
        let connections = Arc::clone(&connections);
        let app = factory()
            .into_factory()
            .map_err(|error| Response::from(error.into().error_response()));
        // What actix-web's own server does; there is no other way to make this.
        let app = map_config(app, move |()| {
            AppConfig::__priv_test_new(false, address.to_string(), address)
        });
        let app = apply_fn_factory(app, |mut request: Request, app: &_| {
            let connection = request.conn_data::<Arc<Connection>>().cloned();
            let exchange = connection.map(|it| Exchange::begin(&mut request, it));
            let ambiguous = exchange
                .as_ref()
                .is_some_and(|it| it.is_ambiguous(&request));
            let handled = if ambiguous {
                Err(refuse(&request))
            } else {
                Ok(Service::call(app, request))
            };
            async move {
                let response = match handled {
                    Err(refusal) => refusal,
                    Ok(handled) => match handled.await {
                        Ok(response) => response.into().map_into_boxed_body(),
                        Err(response) => response,
                    },
                };
                Ok(match exchange {
                    Some(exchange) => exchange.answer(response).map_into_boxed_body(),
                    None => response,
                })
            }
        });
        let http = HttpService::build()
            .graceful_shutdown_signal(move || stopping.clone().cancelled_owned())
            // Both are the stream's business.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(LINGER)
            .h1_write_buffer_size(WRITE_BUFFER)
            .local_addr(address)
            .on_connect_ext(|stream: &WatchedStream, extensions| {
                extensions.insert(Arc::clone(stream.connection()));
            })
            .finish(app);
        let connections = Arc::clone(&connections);
        fn_service(move |io: TcpStream| {
            let connections = Arc::clone(&connections);
            async move { accept(&connections, io) }
        })
        .and_then(http)
    })
}

type Accepted = (WatchedStream, Protocol, Option<std::net::SocketAddr>);

fn accept(connections: &Arc<Connections>, io: TcpStream) -> Result<Accepted, DispatchError> {
    // The next two only fail when the client is gone already.
    let peer = io.peer_addr().map_err(DispatchError::Io)?;
    io.set_nodelay(true).map_err(DispatchError::Io)?;
    let connection = connections.admit(peer.ip()).map_err(|reason| {
        http_metrics().closed(reason);
        DispatchError::Io(io::Error::other(reason.as_str()))
    })?;
    let stream = WatchedStream::new(io, connection);
    Ok((stream, Protocol::Http1, Some(peer)))
}
