//! What happens around every handler: request id, panics, the time limit, error format.
//!
//! Mirrors the middleware chain of upstream's `internal/api/api.go` and `middleware.go`.

use std::panic::AssertUnwindSafe;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpRequest, web};
use futures_util::FutureExt as _;
use platform::http::RequestId;
use platform::http::body::{self, BodyError};

use crate::error::{ApiVersion, Error, ErrorCode, render};
use crate::state::State;

/// Runs a request: whatever goes wrong becomes an answer in the format the client asked for.
pub(crate) async fn around(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let id = request_id(&request, state.config.request_id_header.as_deref());
    let version = ApiVersion::of(request.headers());
    let http = request.request().clone();
    let work = AssertUnwindSafe(next.call(request)).catch_unwind();
    let limit = state.config.max_request_duration;
    let outcome = if limit.is_zero() {
        Ok(work.await)
    } else {
        tokio::time::timeout(limit, work).await
    };
    let response = match outcome {
        Ok(Ok(Ok(response))) => response.map_into_boxed_body(),
        Ok(Ok(Err(error))) => ServiceResponse::from_err(error, http),
        Ok(Err(_panic)) => failed(http, &panicked(), version, &id),
        // Upstream: 504, as if it had been the service that took so long.
        Err(_elapsed) if body::is_arriving(&http) => {
            let error = Error::from(BodyError::TooSlow);
            failed(http, &error, version, &id)
        }
        Err(_elapsed) => failed(http, &timed_out(), version, &id),
    };
    Ok(in_format(response, version, &id))
}

/// A header may name the request; else it has the name that the log and the answer give it.
fn request_id(request: &ServiceRequest, header: Option<&str>) -> String {
    let Some(name) = header else {
        let id = request.extensions().get::<RequestId>().cloned();
        return id.map_or_else(String::new, |RequestId(id)| id);
    };
    let value = request.headers().get(name);
    let text = value.and_then(|value| value.to_str().ok());
    text.unwrap_or_default().to_owned()
}

fn panicked() -> Error {
    Error::status(
        StatusCode::INTERNAL_SERVER_ERROR,
        None,
        "Internal Server Error",
    )
}

// Upstream: 504, which clients do not retry.
fn timed_out() -> Error {
    Error::status(
        StatusCode::SERVICE_UNAVAILABLE,
        Some(ErrorCode::RequestTimeout),
        "Processing this request timed out, please retry after a moment.",
    )
    .with_header("retry-after", "5")
}

fn failed(
    request: HttpRequest,
    error: &Error,
    version: ApiVersion,
    id: &str,
) -> ServiceResponse<BoxBody> {
    log(error, error.http_status());
    ServiceResponse::new(request, render(error, version, Some(id)))
}

/// Renders an error again, now that the client's format and the request's id are known.
fn in_format(
    response: ServiceResponse<BoxBody>,
    version: ApiVersion,
    id: &str,
) -> ServiceResponse<BoxBody> {
    let rendered = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Error>())
        .map(|error| {
            let settled = error.settled();
            let answer = settled.as_ref().unwrap_or(error);
            log(error, answer.http_status());
            render(answer, version, Some(id))
        });
    match rendered {
        Some(rendered) => {
            let (request, _) = response.into_parts();
            ServiceResponse::new(request, rendered)
        }
        None => response,
    }
}

/// Failures of the service get one line each, outages one a second; refusals are the access log's
/// business.
pub(crate) fn log(error: &Error, answered: StatusCode) {
    if !answered.is_server_error() {
        tracing::debug!(%error, error.causes = causes(error), "Request refused");
    } else if let Some(left_out) = error.admit_line() {
        tracing::error!(%error, error.causes = causes(error), left_out, "Request failed");
    }
}

/// What led to an error, outermost first; the error's own text never names it.
fn causes(error: &Error) -> Option<String> {
    let first = std::error::Error::source(error)?;
    let chain = std::iter::successors(Some(first), |cause| cause.source());
    let texts: Vec<_> = chain.map(ToString::to_string).collect();
    Some(texts.join(": "))
}

/// `404 page not found`, as Go's router says it.
pub(crate) fn not_found() -> actix_web::HttpResponse {
    actix_web::HttpResponse::NotFound()
        .content_type("text/plain; charset=utf-8")
        .insert_header((
            HeaderName::from_static("x-content-type-options"),
            HeaderValue::from_static("nosniff"),
        ))
        .body("404 page not found\n")
}

#[cfg(test)]
mod tests;
