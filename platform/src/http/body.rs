//! Request bodies: how long they may take, how large they may be, and reading them whole.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::body::BodySize;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use tokio::time::{Instant, Sleep, sleep_until};

pub use super::config::BodyRules;
use super::shared::Shared;

/// Gives the body of this request other deadlines; to be called before it is read.
pub fn set_rules(request: &HttpRequest, rules: BodyRules) {
    if let Some(shared) = Shared::of(request) {
        shared.rules.set(rules);
    }
}

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It is larger than its route allows, in bytes: answer 413.
    #[error("the request body is larger than {0} bytes")]
    TooLarge(usize),
    /// The client took too long: answer 408.
    #[error("the request body did not arrive in time")]
    TooSlow,
    /// This process holds as much as it may: answer 503 and let the client try again later.
    #[error("too many bytes are in flight")]
    Busy,
    /// The connection broke, or the encoding is not what the head says.
    #[error("the request body could not be read")]
    Broken,
}

impl From<PayloadError> for BodyError {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::Io(error) => {
                let inner = error.get_ref().and_then(|it| it.downcast_ref());
                inner.copied().unwrap_or(Self::Broken)
            }
            _ => Self::Broken,
        }
    }
}

/// Bodies and answers up to this size are taken however much is in flight: about what a connection
/// takes anyway, and enough to sign in and to fetch a prompt.
const SMALL: usize = 16 << 10;

/// What clients are asked to wait after [`BodyError::Busy`], seconds.
pub const RETRY_AFTER: u64 = 2;

/// Whether an answer of this size has to wait because the process holds as many bytes as it may, for
/// this client or for all: 503 and `Retry-After` are sent instead. Small ones are always sent.
pub fn is_too_much(request: &HttpRequest, answer: BodySize) -> bool {
    let is_small = match answer {
        BodySize::None => true,
        BodySize::Sized(length) => length <= SMALL as u64,
        BodySize::Stream => false,
    };
    !is_small && Shared::of(request).is_some_and(|shared| shared.is_full())
}

/// Whether part of this request's body has not arrived.
pub fn is_arriving(request: &HttpRequest) -> bool {
    Shared::of(request).is_some_and(|shared| shared.connection.is_uploading())
}

/// Reads a whole body of at most `limit` bytes. One that says it is larger is not read at all.
/// It counts as in flight until its request is answered.
pub async fn read(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
) -> Result<Bytes, BodyError> {
    let announced = announced(request).unwrap_or_default();
    if announced > limit {
        return Err(BodyError::TooLarge(limit));
    }
    let mut held = Held {
        shared: Shared::of(request),
        bytes: 0,
    };
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk?;
        if body.len() + chunk.len() > limit {
            return Err(BodyError::TooLarge(limit));
        }
        held.add(chunk.len())?;
        body.extend_from_slice(&chunk);
    }
    held.keep();
    Ok(body.freeze())
}

/// A body of at most `limit` bytes as it comes, for who does not need it whole: what has not been
/// asked for is not read from the client. One that says it is larger is not read at all. Its route
/// gives it more time by [`set_rules`].
pub fn stream(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
) -> Result<impl Stream<Item = Result<Bytes, BodyError>>, BodyError> {
    if announced(request).unwrap_or_default() > limit {
        return Err(BodyError::TooLarge(limit));
    }
    let left = Some((payload, limit));
    let next = move |left: Option<(Payload, usize)>| async move {
        let (mut payload, left) = left?;
        let chunk = payload.next().await?.map_err(BodyError::from);
        let taken = chunk.as_ref().map_or(0, Bytes::len);
        Some(match (chunk, left.checked_sub(taken)) {
            (Ok(chunk), Some(left)) => (Ok(chunk), Some((payload, left))),
            (Ok(_), None) => (Err(BodyError::TooLarge(limit)), None),
            (Err(error), _) => (Err(error), None),
        })
    };
    Ok(futures_util::stream::unfold(left, next))
}

/// The length the head announces.
fn announced(request: &HttpRequest) -> Option<usize> {
    let length = request.headers().get("content-length")?;
    length.to_str().ok()?.parse().ok()
}

/// Bytes counted as in flight for as long as this lives.
struct Held {
    shared: Option<Rc<Shared>>,
    bytes: usize,
}

impl Held {
    fn add(&mut self, bytes: usize) -> Result<(), BodyError> {
        let Some(shared) = &self.shared else {
            return Ok(());
        };
        if self.bytes + bytes > SMALL && shared.is_full() {
            return Err(BodyError::Busy);
        }
        shared.hold(bytes);
        self.bytes += bytes;
        Ok(())
    }

    /// All has arrived.
    fn keep(mut self) {
        if let Some(shared) = &self.shared {
            shared.keep(std::mem::take(&mut self.bytes));
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.release(self.bytes);
        }
    }
}

/// A request's body with deadlines.
pub(super) struct Upload {
    payload: Payload,
    shared: Rc<Shared>,
    started: Instant,
    span_began: Instant,
    in_span: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Upload {
    pub(super) fn new(payload: Payload, shared: Rc<Shared>) -> Self {
        let now = Instant::now();
        Self {
            payload,
            shared,
            started: now,
            span_began: now,
            in_span: 0,
            timer: None,
        }
    }

    /// When it has to be decided next whether the client is too slow.
    fn next_deadline(&self, rules: BodyRules) -> Option<Instant> {
        let at = |from: Instant, time: Duration| (!time.is_zero()).then(|| from + time);
        let deadlines = [
            at(self.started, rules.total),
            at(self.span_began, rules.span),
            self.shared.connection.last_upload().map(Instant::from),
        ];
        deadlines.into_iter().flatten().min()
    }

    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let rules = self.shared.rules.get();
        while let Some(at) = self.next_deadline(rules) {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
            if timer.deadline() != at {
                timer.as_mut().reset(at);
            }
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            let over = !rules.total.is_zero() && now >= self.started + rules.total;
            let last = self.shared.connection.last_upload();
            let ends = last.is_some_and(|last| now >= Instant::from(last));
            if over || ends || self.in_span < rules.progress {
                return Poll::Ready(());
            }
            self.span_began = now;
            self.in_span = 0;
        }
        Poll::Pending
    }
}

impl Stream for Upload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        match this.payload.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(chunk))) => {
                this.in_span += chunk.len();
                this.shared.connection.has_taken(chunk.len());
                Poll::Ready(Some(Ok(chunk)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error))),
            Poll::Ready(None) => {
                this.shared.connection.has_arrived();
                Poll::Ready(None)
            }
            Poll::Pending => {
                this.shared.connection.caught_up();
                this.wait(cx).map(|()| {
                    let late = io::Error::new(io::ErrorKind::TimedOut, BodyError::TooSlow);
                    Some(Err(PayloadError::Io(late)))
                })
            }
        }
    }
}
