//! A TCP stream that is closed when its client is too slow, sends too much or has to make room.
//!
//! actix-http bounds only the head of a connection's first request, and makes requests of all that
//! it is given. Everything else is watched here, below it, so that it holds whatever the HTTP layer
//! above does; and it is given one request at a time.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_web::rt::net::TcpStream;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::connection::{Connection, Room};
use crate::telemetry::{CloseReason, http_metrics};

/// Most bytes of a body handed over before what is above gets to work on them: it reads on as long
/// as there is something to read, and would collect 128 KiB.
const BURST: usize = 16 << 10;

/// How much is thrown away of what a client has sent behind the last request that is answered.
const MAX_UNREAD_AT_END: usize = 1 << 20;

const REQUEST_TIMEOUT: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const HEAD_TOO_LARGE: &[u8] =
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// A stream with deadlines.
pub(super) struct WatchedStream {
    io: TcpStream,
    pub(super) connection: Arc<Connection>,
    timer: Pin<Box<Sleep>>,
    /// Read together with the end of what has been handed over. Nothing more is read before it.
    ahead: Bytes,
    burst: usize,
    closed_for: CloseReason,
}

impl WatchedStream {
    pub(super) fn new(io: TcpStream, connection: Arc<Connection>) -> Self {
        let at = connection.deadline().map(|(at, _)| at.into());
        Self {
            io,
            connection,
            timer: Box::pin(sleep_until(at.unwrap_or_else(Instant::now))),
            ahead: Bytes::new(),
            burst: 0,
            closed_for: CloseReason::Finished,
        }
    }

    /// Fails if this connection has to close; else makes sure that it is looked at again in time.
    fn watch(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        // First, so that nothing said meanwhile is missed; and not only where there is reading: a
        // client that has ended its side is not read from any more.
        self.connection.waker.register(cx.waker());
        if let Some(reason) = self.connection.told_to_close() {
            return Err(self.close(reason));
        }
        while let Some((at, reason)) = self.connection.deadline() {
            let at = Instant::from(at);
            if at <= Instant::now() {
                return Err(self.close(reason));
            }
            // A deadline that moved away is noticed when the timer fires, which is cheaper than
            // setting it anew for every request.
            if self.timer.is_elapsed() || self.timer.deadline() > at {
                self.timer.as_mut().reset(at);
            }
            if self.timer.as_mut().poll(cx).is_pending() {
                break;
            }
        }
        Ok(())
    }

    /// Reads nothing; fails if the client has broken the connection off.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut first = [0; 1];
        let mut first = ReadBuf::new(&mut first);
        let peeked = self
            .ahead
            .is_empty()
            .then(|| self.io.poll_peek(cx, &mut first));
        match peeked {
            Some(Poll::Ready(Err(error))) => return Poll::Ready(Err(error)),
            // More wakes this task when it comes.
            Some(Poll::Pending) => {}
            None | Some(Poll::Ready(Ok(_))) => self.connection.pause(),
        }
        Poll::Pending
    }

    fn close(&mut self, reason: CloseReason) -> io::Error {
        self.closed_for = reason;
        if reason.makes_room() {
            // Some clients take a polite end for an answer that is still to come.
            let _ = self.io.set_zero_linger();
        }
        let farewell = match reason {
            CloseReason::SlowHead if self.connection.is_in_head() => REQUEST_TIMEOUT,
            CloseReason::HeadTooLarge => HEAD_TOO_LARGE,
            _ => b"",
        };
        if !farewell.is_empty() {
            // Best effort: a client that does not read will not be told.
            let _ = self.io.try_write(farewell);
        }
        io::Error::new(ErrorKind::TimedOut, reason.as_str())
    }
}

impl Drop for WatchedStream {
    fn drop(&mut self) {
        if let Some(all) = self.connection.all() {
            all.forget(&self.connection);
        }
        self.connection.forget_buffers();
        http_metrics().closed(self.closed_for);
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.burst >= BURST {
            this.burst = 0;
            this.watch(cx)?;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let most = match this.connection.room() {
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
            let own = this.connection.receive(&this.ahead[..most]);
            buffer.put_slice(&this.ahead.split_to(own));
            this.burst += own;
            return Poll::Ready(Ok(()));
        }
        let mut read = ReadBuf::new(buffer.initialize_unfilled_to(most));
        let outcome = Pin::new(&mut this.io).poll_read(cx, &mut read);
        if !read.filled().is_empty() {
            let own = this.connection.receive(read.filled());
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
        let outcome = Pin::new(&mut this.io).poll_write(cx, bytes);
        match outcome {
            Poll::Pending => {
                this.connection.is_blocked(bytes.len());
                this.connection.count_unread(this.ahead.len());
                this.watch(cx)?;
            }
            Poll::Ready(Ok(written)) => this.connection.has_written(bytes.len() - written),
            Poll::Ready(Err(_)) => {}
        }
        outcome
    }

    /// Called after every step of the HTTP layer, so also when a request has just been finished
    /// and nothing will be read for a while.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.connection.count_unread(this.ahead.len());
        this.watch(cx)?;
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
        // Whoever closes with bytes unread takes back what the other side has not read either.
        let mut unread = [0; 4096];
        let mut times = 0..MAX_UNREAD_AT_END / unread.len();
        while times.next().is_some() && this.io.try_read(&mut unread).is_ok_and(|read| read > 0) {}
        Poll::Ready(Ok(()))
    }
}
