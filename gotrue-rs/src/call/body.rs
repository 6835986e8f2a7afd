//! Reading a request's body up to a limit.

use actix_web::dev::Payload;
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt as _;

/// Larger bodies are refused.
const LIMIT: usize = 1 << 20;

/// How much of a body that is too large is still read, so that a client which sends before it
/// listens gets to see the answer.
const DRAIN_LIMIT: usize = 8 << 20;

/// What came of reading a body.
#[derive(Debug)]
pub(super) enum Body {
    Read(Bytes),
    TooLarge,
    Broken,
}

/// Reads the whole body, or as much of it as is sensible.
pub(super) async fn read(mut payload: Payload) -> Body {
    let mut bytes = BytesMut::new();
    let mut seen = 0;
    while let Some(chunk) = payload.next().await {
        let Ok(chunk) = chunk else {
            return Body::Broken;
        };
        seen += chunk.len();
        if seen > DRAIN_LIMIT {
            break;
        }
        if seen <= LIMIT {
            bytes.extend_from_slice(&chunk);
        }
    }
    if seen > LIMIT {
        Body::TooLarge
    } else {
        Body::Read(bytes.freeze())
    }
}
