//! Request bodies.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use bytes::BytesMut;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Largest body of most requests, bytes: a template of 256 KiB in which a client has escaped every
/// character.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// Largest body of a compile request, bytes.
pub(crate) const COMPILE_BODY_LIMIT: usize = 2 * 1024 * 1024;

/// How much of a body that is too large is read and thrown away, so that the client gets to see the
/// answer instead of a closed connection.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;

/// A JSON body whatever its content type says; an empty one counts as an empty object.
pub(crate) struct Json<T, const LIMIT: usize = BODY_LIMIT>(pub(crate) T);

impl<T: DeserializeOwned + 'static, const LIMIT: usize> FromRequest for Json<T, LIMIT> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(_: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = payload.take();
        Box::pin(async move {
            let body = read(payload, LIMIT).await?;
            // Members nobody asked for are skipped unread, so this must be checked for the whole.
            let text = std::str::from_utf8(&body).map_err(|_| Error::UnreadableBody)?;
            let text = if text.is_empty() { "{}" } else { text };
            serde_json::from_str(text)
                .map(Self)
                .map_err(Error::MalformedBody)
        })
    }
}

async fn read(mut payload: Payload, limit: usize) -> Result<BytesMut, Error> {
    let mut body = BytesMut::new();
    let mut seen = 0;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Error::UnreadableBody)?;
        seen += chunk.len();
        if seen <= limit {
            body.extend_from_slice(&chunk);
        } else if seen > DRAIN_LIMIT {
            break;
        }
    }
    if seen > limit {
        return Err(Error::TooLarge(format!(
            "The request body is larger than {limit} bytes"
        )));
    }
    Ok(body)
}
