//! Request bodies.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use platform::http::body::{self, BodyError};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Largest body of most requests, bytes: a template of 256 KiB in which a client has escaped every
/// character.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// Largest body of a compile request, bytes.
pub(crate) const COMPILE_BODY_LIMIT: usize = 2 * 1024 * 1024;

/// Largest body that holds names and addresses only, bytes.
pub(crate) const SMALL_BODY_LIMIT: usize = 16 * 1024;

/// A JSON body whatever its content type says; an empty one counts as an empty object.
pub(crate) struct Json<T, const LIMIT: usize = BODY_LIMIT>(pub(crate) T);

impl<T: DeserializeOwned + 'static, const LIMIT: usize> FromRequest for Json<T, LIMIT> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let body = body::read(&request, payload, LIMIT).await;
            let body = body.map_err(Error::from_body)?;
            // Members nobody asked for are skipped unread, so this must be checked for the whole.
            let text = std::str::from_utf8(&body).map_err(|_| Error::UnreadableBody)?;
            let text = if text.is_empty() { "{}" } else { text };
            serde_json::from_str(text)
                .map(Self)
                .map_err(Error::MalformedBody)
        })
    }
}

impl Error {
    fn from_body(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(limit) => {
                Self::TooLarge(format!("The request body is larger than {limit} bytes"))
            }
            BodyError::TooSlow => Self::SlowBody,
            BodyError::Busy => Self::Busy,
            BodyError::Broken => Self::UnreadableBody,
        }
    }
}
