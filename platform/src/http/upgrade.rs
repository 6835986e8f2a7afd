//! Connections that stop speaking HTTP: a service claims one by its answer to a request with
//! `Upgrade`, and from then on has it as a stream of bytes.
//!
//! The HTTP layer is gone then, with its buffers of 16 KiB: an idle socket takes what its service
//! keeps for it, and little more. It is counted, may have to make room, and is told of the end of the
//! process like every connection. It is closed when its client takes nothing for long, or says
//! nothing for as long as an idle connection stays open ([`RawSocket::set_silence`]); and when its
//! session is over, wherever that has brought the socket.

use std::io::{self, ErrorKind, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use actix_web::http::header::{CONNECTION, HeaderMap, HeaderName, HeaderValue, UPGRADE};
use actix_web::http::{ConnectionType, Method, StatusCode, Version};
use actix_web::rt::net::TcpStream;
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tracing::{Instrument as _, Span};

use super::connection::Connection;
use super::shared::Shared;
use super::stream::{LINGER, MAX_UNREAD_AT_END, discard};
use super::watch::Watch;
use crate::telemetry::traces::TraceContext;
use crate::telemetry::{CloseReason, http_metrics};

/// Why a connection cannot be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpgradeError {
    /// The client did not ask for this protocol: answer 426.
    #[error("the request does not ask for an upgrade to this protocol")]
    NotAsked,
    /// What follows would be a body: answer 400.
    #[error("a request with a body cannot be upgraded")]
    HasBody,
}

/// Answers 101 and gives the connection to `session` as soon as that is sent. What the client has sent
/// right behind his request is the first that is read.
///
/// The connection stays open until `session` ends, and for a moment more, so that its client hears what
/// was said last. Where it has to close sooner, the socket fails, and a session that does not end then is
/// dropped.
pub fn claim<F, S>(
    request: &HttpRequest,
    protocol: &'static str,
    session: F,
) -> Result<HttpResponse, UpgradeError>
where
    F: FnOnce(RawSocket) -> S + Send + 'static,
    S: Future<Output = ()> + 'static,
{
    let shared = Shared::of(request);
    if shared.is_none() || !asks_for(request, protocol) {
        return Err(UpgradeError::NotAsked);
    }
    if shared.is_some_and(|shared| shared.has_body) {
        return Err(UpgradeError::HasBody);
    }
    let mut answer = HttpResponse::new(StatusCode::SWITCHING_PROTOCOLS);
    answer
        .head_mut()
        .set_connection_type(ConnectionType::Upgrade);
    answer
        .headers_mut()
        .insert(UPGRADE, HeaderValue::from_static(protocol));
    // What it asks of others, it asks for the request that has begun it.
    let context = TraceContext::current();
    answer.extensions_mut().insert(Claim {
        session: Box::new(move |socket| Box::pin(TraceContext::within(context, session(socket)))),
        traffic: Arc::default(),
        line: None,
    });
    Ok(answer)
}

/// Whether the client can go on with this protocol, and wants to.
fn asks_for(request: &HttpRequest, protocol: &str) -> bool {
    request.version() == Version::HTTP_11
        && request.method() != Method::CONNECT
        && lists(request.headers(), &CONNECTION, "upgrade")
        && lists(request.headers(), &UPGRADE, protocol)
}

fn lists(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let lines = headers.get_all(name).filter_map(|line| line.to_str().ok());
    let mut words = lines.flat_map(|line| line.split(',')).map(str::trim);
    words.any(|word| word.eq_ignore_ascii_case(wanted))
}

type Session = Box<dyn FnOnce(RawSocket) -> LocalBoxFuture<'static, ()> + Send>;

/// In the extensions of an answer: who gets the connection.
pub(super) struct Claim {
    session: Session,
    traffic: Arc<Traffic>,
    line: Option<Line>,
}

impl Claim {
    /// Has one line written when all is over, instead of one when the request is answered.
    pub(super) fn log(&mut self, request: Logged) {
        let traffic = Arc::clone(&self.traffic);
        self.line = Some(Line { request, traffic });
    }

    /// Starts the session on a connection of which so much has been read ahead.
    pub(super) fn take(self, io: TcpStream, ahead: Bytes, connection: Arc<Connection>) {
        let request = self.line.as_ref().map(|line| &line.request);
        let service = request.map_or("", |request| request.service);
        let span = request.map_or_else(Span::none, |request| request.span.clone());
        let io = Arc::new(io);
        let socket = RawSocket {
            io: Arc::clone(&io),
            ahead,
            connection: Arc::clone(&connection),
            traffic: Arc::clone(&self.traffic),
        };
        http_metrics().sockets(service, 1);
        let session = (self.session)(socket).instrument(span);
        let (left, traffic) = (Arc::clone(&io), Arc::clone(&self.traffic));
        actix_web::rt::spawn(Running {
            session: Box::pin(async move {
                session.await;
                traffic.ends("service");
                end_politely(&left).await;
            }),
            io,
            watch: Watch::new(connection),
            closed_for: CloseReason::Finished,
            service,
            traffic: self.traffic,
            _line: self.line,
        });
    }
}

/// A session, closed when it has to be.
struct Running {
    session: LocalBoxFuture<'static, ()>,
    io: Arc<TcpStream>,
    watch: Watch,
    closed_for: CloseReason,
    service: &'static str,
    traffic: Arc<Traffic>,
    _line: Option<Line>,
}

impl Future for Running {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if this.session.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        // Nobody else would notice after a write that was given up.
        let takes_more = || this.io.writable().now_or_never().is_some();
        this.watch.connection.unblock_if(takes_more);
        let Some(reason) = this.watch.check(cx) else {
            return Poll::Pending;
        };
        this.closed_for = reason;
        this.traffic.ends(reason.as_str());
        this.watch.connection.close(reason);
        // Now it sees the socket fail.
        let _ = this.session.as_mut().poll(cx);
        Poll::Ready(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.traffic.ends("service");
        http_metrics().sockets(self.service, -1);
        // Whatever the session has left of the socket elsewhere: it fails, and whoever waits sees it.
        self.watch.connection.close(self.closed_for);
        let _ = SockRef::from(&*self.io).shutdown(Shutdown::Both);
        self.watch.end(self.closed_for);
    }
}

/// Says that nothing more is said, and waits a moment for the client to say so, too.
async fn end_politely(io: &TcpStream) {
    // Fails where the client has broken it off.
    let _ = SockRef::from(io).shutdown(Shutdown::Write);
    let unread = async {
        let mut most = MAX_UNREAD_AT_END;
        while io.readable().await.is_ok() && discard(io, &mut most) {}
    };
    let _ = tokio::time::timeout(LINGER, unread).await;
}

/// What has gone through a socket, and why it does no longer.
#[derive(Default)]
struct Traffic {
    received: AtomicU64,
    sent: AtomicU64,
    end: OnceLock<&'static str>,
}

impl Traffic {
    /// The first reason is the one.
    fn ends(&self, reason: &'static str) {
        let _ = self.end.set(reason);
    }
}

/// The request by which a connection was claimed, as the log has it.
pub(super) struct Logged {
    pub(super) span: Span,
    pub(super) service: &'static str,
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) started: Instant,
}

/// A line of the log, written when this is dropped.
struct Line {
    request: Logged,
    traffic: Arc<Traffic>,
}

impl Drop for Line {
    fn drop(&mut self) {
        let (request, traffic) = (&self.request, &self.traffic);
        let _in = request.span.enter();
        tracing::info!(
            service = request.service,
            method = request.method,
            path = request.path,
            status = StatusCode::SWITCHING_PROTOCOLS.as_u16(),
            duration_ms = request.started.elapsed().as_secs_f64() * 1e3,
            bytes_in = traffic.received.load(Relaxed),
            bytes_out = traffic.sent.load(Relaxed),
            // None if the client left before it had the answer.
            closed = traffic.end.get().copied().unwrap_or("broken"),
            "socket closed"
        );
    }
}

/// A connection that speaks no HTTP any more.
pub struct RawSocket {
    io: Arc<TcpStream>,
    ahead: Bytes,
    connection: Arc<Connection>,
    traffic: Arc<Traffic>,
}

impl RawSocket {
    /// How long the client may say nothing; zero is for ever. As long as an idle connection stays
    /// open, unless set.
    pub fn set_silence(&self, most: Duration) {
        self.connection.set_silence(most);
        self.connection.waker.wake();
    }

    /// Why the socket closes, for the log; what is said first counts.
    pub fn closes_because(&self, reason: &'static str) {
        self.traffic.ends(reason);
    }

    /// Fails if this side has closed.
    fn is_open(&self) -> io::Result<()> {
        match self.connection.told_to_close() {
            Some(reason) => Err(io::Error::new(ErrorKind::TimedOut, reason.as_str())),
            None => Ok(()),
        }
    }

    fn has_received(&self, bytes: usize) {
        self.connection.has_spoken();
        self.traffic.received.fetch_add(bytes as u64, Relaxed);
    }

    fn poll_writing(
        &self,
        cx: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.io.poll_write_ready(cx))?;
            match write(&self.io) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    /// Takes note of how much of so many bytes the client has taken.
    fn has_written(&self, all: usize, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &outcome {
            Poll::Pending => {
                self.connection.is_blocked(all);
                // Its deadline holds for who writes in another task, too.
                self.connection.waker.wake();
            }
            Poll::Ready(Ok(written)) => {
                self.connection.has_written(all - written);
                self.traffic.sent.fetch_add(*written as u64, Relaxed);
            }
            Poll::Ready(Err(_)) => self.traffic.ends("broken"),
        }
        outcome
    }
}

impl AsyncRead for RawSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.is_open()?;
        if !this.ahead.is_empty() {
            let taken = this.ahead.len().min(buffer.remaining());
            buffer.put_slice(&this.ahead.split_to(taken));
            if this.ahead.is_empty() {
                // Gives what it is a part of back.
                this.ahead = Bytes::new();
            }
            this.connection.count_unread(this.ahead.len());
            this.has_received(taken);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let outcome = loop {
            ready!(this.io.poll_read_ready(cx))?;
            match this.io.try_read_buf(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => break outcome.map(drop),
            }
        };
        match (&outcome, buffer.filled().len() - before) {
            (Err(_), _) => this.traffic.ends("broken"),
            (Ok(()), 0) if buffer.remaining() > 0 => this.traffic.ends("client"),
            (Ok(()), read) => this.has_received(read),
        }
        Poll::Ready(outcome)
    }
}

impl AsyncWrite for RawSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.is_open()?;
        let outcome = this.poll_writing(cx, |io| io.try_write(bytes));
        this.has_written(bytes.len(), outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.is_open()?;
        let outcome = this.poll_writing(cx, |io| io.try_write_vectored(pieces));
        this.has_written(pieces.iter().map(|it| it.len()).sum(), outcome)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = SockRef::from(&*self.io).shutdown(Shutdown::Write);
        Poll::Ready(ended.or_else(|error| match error.kind() {
            // It is over already.
            ErrorKind::NotConnected => Ok(()),
            _ => Err(error),
        }))
    }
}

impl Drop for RawSocket {
    /// Its session may go on without it.
    fn drop(&mut self) {
        let _ = SockRef::from(&*self.io).shutdown(Shutdown::Write);
    }
}
