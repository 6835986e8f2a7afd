//! A request id and one log line for every request.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpRequest};
use tracing::{Instrument as _, field};
use uuid::Uuid;

use super::upgrade::{Claim, Logged};
use crate::telemetry::traces::{TraceContext, TracedRequest};
use crate::telemetry::{Answered, http_metrics};

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id taken over from a proxy, bytes.
const MAX_GIVEN_ID: usize = 128;

/// The id of a request: the proxy's `X-Request-Id` if it is sensible, else a new one. Found in
/// the request's extensions and in the answer's `X-Request-Id`.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// The name of the service that answers a request: in the request's extensions where a gateway has
/// found it, else in the app data of a process that has one service only.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredBy(pub &'static str);

/// Names, times, logs and counts each request; use with `middleware::from_fn`, outermost.
pub async fn observe<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = given_id(&request).unwrap_or_else(|| Uuid::new_v4().to_string());
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();
    // The path only: queries carry one-time tokens.
    let path = request.path().to_owned();
    let span = tracing::info_span!("request", request.id = %id, trace.id = field::Empty);
    let traced = TracedRequest::begin(request.headers());
    let context = traced.as_ref().map(|traced| traced.context.clone());
    if let Some(context) = &context {
        span.record("trace.id", field::display(context.trace_id()));
    }
    let handled = next.call(request).instrument(span.clone());
    let outcome = TraceContext::within(context, handled).await;
    let mut response = outcome?.map_into_boxed_body();
    let status = response.status().as_u16();
    let elapsed = started.elapsed();
    let service = service_of(response.request());
    let answered = Answered {
        service,
        route: response.request().match_pattern(),
        method: method.as_str(),
        status,
        elapsed,
    };
    if let Some(traced) = traced {
        traced.end(&answered);
    }
    http_metrics().observe(answered);
    if let Some(claim) = response.response_mut().extensions_mut().get_mut::<Claim>() {
        claim.log(Logged {
            span,
            service,
            method,
            path,
            started,
        });
    } else {
        let duration_ms = elapsed.as_secs_f64() * 1e3;
        span.in_scope(|| match path.as_str() {
            "/health" | "/metrics" => {
                tracing::debug!(service, %method, path, status, duration_ms, "request completed");
            }
            _ => tracing::info!(service, %method, path, status, duration_ms, "request completed"),
        });
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    Ok(response)
}

fn service_of(request: &HttpRequest) -> &'static str {
    let found = request.extensions().get::<AnsweredBy>().copied();
    let found = found.or_else(|| request.app_data::<AnsweredBy>().copied());
    found.map_or("", |AnsweredBy(name)| name)
}

fn given_id(request: &ServiceRequest) -> Option<String> {
    let given = request.headers().get(HEADER)?.to_str().ok()?;
    let sensible = !given.is_empty()
        && given.len() <= MAX_GIVEN_ID
        && given.bytes().all(|byte| byte.is_ascii_graphic());
    sensible.then(|| given.to_owned())
}
