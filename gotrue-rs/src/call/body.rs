//! Reading a request's body up to a limit.

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use platform::http::body::{self, BodyError};

use crate::error::{Error, ErrorCode};

/// Larger bodies are refused.
const LIMIT: usize = 1 << 20;

/// What came of reading a body.
pub(super) type Body = Result<Bytes, BodyError>;

/// Reads the whole body.
pub(super) async fn read(request: &HttpRequest, payload: Payload) -> Body {
    body::read(request, payload, LIMIT).await
}

/// What a handler that wants the body answers without it.
pub(crate) fn refusal(error: BodyError) -> Error {
    match error {
        BodyError::TooLarge => Error::status(
            StatusCode::PAYLOAD_TOO_LARGE,
            Some(ErrorCode::RequestEntityTooLarge),
            "Request body too large (max 1048576 bytes)",
        ),
        BodyError::TooSlow => Error::status(
            StatusCode::REQUEST_TIMEOUT,
            Some(ErrorCode::RequestTimeout),
            "Request body did not arrive in time",
        ),
        BodyError::Busy => Error::status(
            StatusCode::SERVICE_UNAVAILABLE,
            Some(ErrorCode::UnexpectedFailure),
            "The server is handling as much as it can, please retry after a moment.",
        )
        .with_header("retry-after", body::RETRY_AFTER.to_string()),
        // Upstream: 500, as if the service had failed.
        BodyError::Broken => Error::bad_request(
            ErrorCode::BadJson,
            "Could not parse request body as JSON: it ends early or is badly encoded",
        ),
    }
}
