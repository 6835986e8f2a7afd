//! Reading a request's body up to a limit.

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest};
use platform::http::body::{self, BodyError};

use crate::error::{Error, ErrorCode};

/// Larger bodies are refused.
const LIMIT: usize = 1 << 20;

/// The same of who has not shown a valid token: four times what the largest sign-up needs.
// Upstream: as large as everybody's.
const LIMIT_OF_STRANGERS: usize = 64 << 10;

/// In the extensions of a request that shows a valid token.
struct HasToken;

/// The sender of this request has shown a valid token.
pub(crate) fn trust_sender(request: &ServiceRequest) {
    request.extensions_mut().insert(HasToken);
}

/// What came of reading a body.
pub(super) type Body = Result<Bytes, BodyError>;

/// Reads the whole body.
pub(super) async fn read(request: &HttpRequest, payload: Payload) -> Body {
    let is_trusted = request.extensions().contains::<HasToken>();
    let limit = if is_trusted {
        LIMIT
    } else {
        LIMIT_OF_STRANGERS
    };
    body::read(request, payload, limit).await
}

/// What a handler that wants the body answers without it.
pub(crate) fn refusal(error: BodyError) -> Error {
    match error {
        BodyError::TooLarge(limit) => Error::status(
            StatusCode::PAYLOAD_TOO_LARGE,
            Some(ErrorCode::RequestEntityTooLarge),
            format!("Request body too large (max {limit} bytes)"),
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
