//! Around each request, outside the application: tells the connection what goes on, gives the
//! body its deadlines, and hands the answer out in pieces, counted until they are taken.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_http::{HttpMessage as _, Payload, Request, Response};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::{StatusCode, header};
use bytes::Bytes;

use super::body::Upload;
use super::connection::Connection;
use super::forwarded::sender;
use super::framing::BodyLength;
use super::shared::Shared;
use super::upgrade::Claim;

/// Largest piece of an answer that is copied into a connection's write buffer at once.
const PIECE: usize = 8 << 10;

/// Marks an answer (in its extensions) whose bytes are in memory anyway, such as a file of the web
/// app: they are not counted as held for the client.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes;

/// A request that is being handled or whose answer is being taken.
pub(super) struct Exchange(Rc<Shared>);

impl Exchange {
    /// Takes note that a request has begun.
    pub(super) fn begin(request: &mut Request, connection: Arc<Connection>) -> Self {
        let config = connection.all().map(|all| all.config.clone());
        let config = config.unwrap_or_default();
        let body = length_of_body(request);
        let client = sender(
            request.headers(),
            request.peer_addr(),
            config.trusted_proxies,
        );
        connection.begin(client, body);
        let shared = Rc::new(Shared {
            rules: Cell::new(config.body),
            connection,
            client,
            has_body: body.is_some(),
            silence: config.keep_alive,
            kept: Cell::new(0),
        });
        if body.is_some() {
            let upload = Upload::new(request.take_payload(), Rc::clone(&shared));
            *request.payload() = Payload::Stream {
                payload: Box::pin(upload),
            };
        } else {
            // It may have one without end, of what is no part of this request.
            *request.payload() = Payload::None;
        }
        request.extensions_mut().insert(Rc::clone(&shared));
        Self(shared)
    }

    /// Whether this request cannot be served: nobody knows where it ends.
    pub(super) fn is_ambiguous(&self, request: &Request) -> bool {
        self.0.has_body && opens_a_socket(request)
    }

    /// The answer as it is sent.
    pub(super) fn answer<B>(self, mut response: Response<B>) -> Response<Answer>
    where
        B: MessageBody + 'static,
    {
        self.0.connection.prove();
        self.0.release_kept();
        let claim = response.extensions_mut().remove::<Claim>();
        if let Some(claim) = claim
            && response.status() == StatusCode::SWITCHING_PROTOCOLS
        {
            let take_over = move |io, ahead, connection| claim.take(io, ahead, connection);
            self.0.connection.claim(Box::new(take_over), self.0.silence);
        }
        let counted = response.extensions().get::<SharedBytes>().is_none();
        response.map_body(|_, body| Answer {
            body: body.boxed(),
            rest: Bytes::new(),
            held: 0,
            counted,
            exchange: self,
        })
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.release_kept();
        self.0.connection.finish();
    }
}

/// How long the body of this request is.
fn length_of_body(request: &mut Request) -> Option<BodyLength> {
    if matches!(request.payload(), Payload::None) {
        return None;
    }
    if request.chunked().unwrap_or(false) {
        return Some(BodyLength::Chunked);
    }
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|it| it.to_str().ok()?.trim().parse().ok());
    let announced = announced.filter(|length| *length > 0);
    match (opens_a_socket(request), announced) {
        // What follows belongs to no request.
        (true, None) => None,
        // A body of no length is none, and there is one: a tunnel. Or one whose length what is above
        // does not look at.
        (true, Some(_)) | (false, None) => Some(BodyLength::Endless),
        (false, Some(length)) => Some(BodyLength::Known(length)),
    }
}

/// Whether the client asks for a WebSocket, by what the layer above goes by.
fn opens_a_socket(request: &Request) -> bool {
    let mut wanted = request.headers().get_all(header::UPGRADE);
    wanted.any(|it| {
        it.as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"websocket")
    })
}

/// An answer's body, in pieces.
pub(super) struct Answer {
    body: BoxBody,
    /// What has been produced and not yet been asked for.
    rest: Bytes,
    /// Bytes counted as held: all those that `rest` is what is left of, if they count.
    held: usize,
    counted: bool,
    exchange: Exchange,
}

impl Answer {
    fn piece(&mut self) -> Bytes {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        // The pieces are parts of one allocation: nothing of it is given back before all.
        if self.rest.is_empty() {
            self.exchange.0.release(std::mem::take(&mut self.held));
        }
        piece
    }
}

impl MessageBody for Answer {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_next(cx)) {
                Some(Ok(bytes)) if bytes.len() <= PIECE => return Poll::Ready(Some(Ok(bytes))),
                Some(Ok(bytes)) => {
                    if this.counted {
                        this.held = bytes.len();
                        this.exchange.0.hold(this.held);
                    }
                    this.rest = bytes;
                }
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(this.piece())))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.exchange.0.release(self.held);
    }
}
