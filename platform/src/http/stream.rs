//! A TCP stream that is closed when its client is too slow, sends too much or has to make room.
//!
//! actix-http bounds only the head of a connection's first request, and makes requests of all that
//! it is given. Everything else is watched here, below it, so that it holds whatever the HTTP layer
//! above does; and it is given one request at a time.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::{Connection, Room};
use super::watch::Watch;
use crate::telemetry::CloseReason;

/// Most bytes of a body handed over before what is above gets to work on them: it reads on as long
/// as there is something to read, and would collect 128 KiB.
const BURST: usize = 16 << 10;

/// How much is thrown away of what a client has sent behind the last request that is answered.
pub(super) const MAX_UNREAD_AT_END: usize = 1 << 20;

/// How long after its last word a connection still reads what its client sends.
pub(super) const LINGER: Duration = Duration::from_secs(2);

const REQUEST_TIMEOUT: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const HEAD_TOO_LARGE: &[u8] =
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// A stream with deadlines.
pub(super) struct WatchedStream {
    /// None once a service has claimed it.
    io: Option<TcpStream>,
    watch: Watch,
    /// Read together with the end of what has been handed over. Nothing more is read before it.
    ahead: Bytes,
    burst: usize,
    closed_for: CloseReason,
}

impl WatchedStream {
    pub(super) fn new(io: TcpStream, connection: Arc<Connection>) -> Self {
        Self {
            io: Some(io),
            watch: Watch::new(connection),
            ahead: Bytes::new(),
            burst: 0,
            closed_for: CloseReason::Finished,
        }
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.watch.connection
    }

    /// Fails if this connection has to close; else makes sure that it is looked at again in time.
    /// Not only where there is reading: a client that has ended its side is not read from any more.
    fn watch(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.watch.check(cx) {
            Some(reason) => Err(self.close(reason)),
            None => Ok(()),
        }
    }

    /// Gives the connection to who has claimed it, if somebody has.
    fn hand_over(&mut self, cx: &mut Context<'_>) {
        if let Some(claim) = self.watch.connection.take_claim()
            && let Some(io) = self.io.take()
        {
            let ahead = std::mem::take(&mut self.ahead);
            claim(io, ahead, Arc::clone(&self.watch.connection));
            // What is above sees the end.
            cx.waker().wake_by_ref();
        }
    }

    /// Reads nothing; fails if the client has broken the connection off.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut first = [0; 1];
        let mut first = ReadBuf::new(&mut first);
        let io = self.io.as_ref().filter(|_| self.ahead.is_empty());
        let peeked = io.map(|io| io.poll_peek(cx, &mut first));
        match peeked {
            Some(Poll::Ready(Err(error))) => return Poll::Ready(Err(error)),
            // More wakes this task when it comes.
            Some(Poll::Pending) => {}
            None | Some(Poll::Ready(Ok(_))) => self.watch.connection.pause(),
        }
        Poll::Pending
    }

    fn close(&mut self, reason: CloseReason) -> io::Error {
        self.closed_for = reason;
        let farewell = match reason {
            CloseReason::SlowHead if self.watch.connection.is_in_head() => REQUEST_TIMEOUT,
            CloseReason::HeadTooLarge => HEAD_TOO_LARGE,
            _ => b"",
        };
        if let Some(io) = &self.io {
            if reason.makes_room() {
                // Some clients take a polite end for an answer that is still to come.
                let _ = io.set_zero_linger();
            }
            if !farewell.is_empty() {
                // Best effort: a client that does not read will not be told.
                let _ = io.try_write(farewell);
            }
        }
        io::Error::new(ErrorKind::TimedOut, reason.as_str())
    }
}

impl Drop for WatchedStream {
    fn drop(&mut self) {
        if self.io.is_some() {
            self.watch.end(self.closed_for);
        }
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.io.is_none() {
            return Poll::Ready(Ok(()));
        }
        if this.burst >= BURST {
            this.burst = 0;
            this.watch(cx)?;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let most = match this.watch.connection.room() {
            Room::Some(most) => most.min(buffer.remaining()),
            Room::Later => {
                this.burst = 0;
                this.watch(cx)?;
                return this.wait(cx);
            }
            Room::Exceeded(reason) => return Poll::Ready(Err(this.close(reason))),
        };
        if !this.ahead.is_empty() {
            let most = most.min(this.ahead.len());
            let own = this.watch.connection.receive(&this.ahead[..most]);
            buffer.put_slice(&this.ahead.split_to(own));
            this.burst += own;
            return Poll::Ready(Ok(()));
        }
        let Some(io) = &mut this.io else {
            return Poll::Ready(Ok(()));
        };
        let mut read = ReadBuf::new(buffer.initialize_unfilled_to(most));
        let outcome = Pin::new(io).poll_read(cx, &mut read);
        if !read.filled().is_empty() {
            let own = this.watch.connection.receive(read.filled());
            this.ahead = Bytes::copy_from_slice(&read.filled()[own..]);
            buffer.advance(own);
            this.burst += own;
        }
        if outcome.is_pending() {
            this.burst = 0;
            this.watch(cx)?;
        }
        outcome
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let Some(io) = &mut this.io else {
            return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
        };
        let outcome = Pin::new(io).poll_write(cx, bytes);
        match outcome {
            Poll::Pending => {
                this.watch.connection.is_blocked(bytes.len());
                this.watch.connection.count_unread(this.ahead.len());
                this.watch(cx)?;
            }
            Poll::Ready(Ok(written)) => this.watch.connection.has_written(bytes.len() - written),
            Poll::Ready(Err(_)) => {}
        }
        outcome
    }

    /// Called after every step of the HTTP layer, so also when a request has just been finished
    /// and nothing will be read for a while.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.hand_over(cx);
        let Some(io) = &mut this.io else {
            return Poll::Ready(Ok(()));
        };
        ready!(Pin::new(io).poll_flush(cx))?;
        this.watch.connection.count_unread(this.ahead.len());
        this.watch(cx)?;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let Some(io) = &mut this.io else {
            return Poll::Ready(Ok(()));
        };
        ready!(Pin::new(&mut *io).poll_shutdown(cx))?;
        let mut most = MAX_UNREAD_AT_END;
        discard(io, &mut most);
        Poll::Ready(Ok(()))
    }
}

/// Throws away what a client has sent, `most` of it: whoever closes with bytes unread takes back what
/// the other side has not read either. Returns whether more may come.
pub(super) fn discard(io: &TcpStream, most: &mut usize) -> bool {
    let mut unread = [0; 4096];
    while *most > 0 {
        match io.try_read(&mut unread) {
            Ok(0) => return false,
            Ok(read) => *most = most.saturating_sub(read),
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
    false
}
