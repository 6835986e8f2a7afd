//! A request id, one log line and one count for every request, whether it is answered or given up.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;
use std::time::Instant;

use actix_http::{Request, Response};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{RequestHead, ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _};
use tracing::{Instrument as _, Span, field};
use uuid::Uuid;

use super::upgrade::{Claim, Logged};
use crate::telemetry::traces::{TraceContext, TracedRequest};
use crate::telemetry::{Observed, Outcome, http_metrics, method_name};

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id taken over from a proxy, bytes.
const MAX_GIVEN_ID: usize = 128;

/// Most of a path that is written into the log, bytes: whoever asks may make it as long as a head.
const MAX_LOGGED_PATH: usize = 2 << 10;

/// The id of a request: the proxy's `X-Request-Id` if it is sensible, else a new one. Found in
/// the request's extensions and in the answer's `X-Request-Id`.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// The name of the service that answers a request: what a gateway has told, else what is in the app
/// data of a process that has one service only.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredBy(pub &'static str);

impl AnsweredBy {
    /// Tells who answers this request.
    pub fn tell(self, request: &ServiceRequest) {
        if let Some(told) = request.extensions().get::<Told>() {
            told.0.set(Some(self));
        }
    }
}

/// Who answers a request, as far as has been told; in its extensions.
#[derive(Clone, Default)]
struct Told(Rc<Cell<Option<AnsweredBy>>>);

/// Names, times, logs and counts each request; use with `middleware::from_fn`, outermost.
pub async fn observe<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut watched = Watched::begin(request.head());
    watched.told.0.set(request.app_data().copied());
    let id = watched.id.clone();
    request.extensions_mut().insert(watched.told.clone());
    request.extensions_mut().insert(RequestId(id.clone()));
    let handled = next.call(request).instrument(watched.span.clone());
    let outcome = TraceContext::within(watched.context(), handled).await;
    let mut response = match outcome {
        Ok(response) => response.map_into_boxed_body(),
        Err(error) => {
            let status = error.as_response_error().status_code();
            watched.end(None, Outcome::Status(status.as_u16()));
            return Err(error);
        }
    };
    let route = response.request().match_pattern();
    let outcome = Outcome::Status(response.status().as_u16());
    match response.response_mut().extensions_mut().get_mut::<Claim>() {
        Some(claim) => claim.log(watched.end_later(route, outcome)),
        None => watched.end(route, outcome),
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    Ok(response)
}

/// Refuses a request that no application may see: 400.
pub(super) fn refuse(request: &Request) -> Response<BoxBody> {
    let mut watched = Watched::begin(request.head());
    watched.told.0.set(Some(AnsweredBy("house")));
    let response = Response::bad_request();
    watched.end(None, Outcome::Status(response.status().as_u16()));
    response
}

/// A request that is being handled. When this is dropped before its end, its client has left, the
/// process ends, or its handler has panicked.
struct Watched {
    started: Instant,
    id: String,
    method: &'static str,
    path: String,
    span: Span,
    traced: Option<TracedRequest>,
    told: Told,
    is_over: bool,
}

impl Watched {
    fn begin(head: &RequestHead) -> Self {
        let id = given_id(&head.headers).unwrap_or_else(|| Uuid::new_v4().to_string());
        let span = tracing::info_span!("request", request.id = %id, trace.id = field::Empty);
        let traced = TracedRequest::begin(&head.headers);
        if let Some(traced) = &traced {
            span.record("trace.id", field::display(traced.context.trace_id()));
        }
        Self {
            started: Instant::now(),
            id,
            method: method_name(&head.method),
            // The path only: queries carry one-time tokens.
            path: shortened(head.uri.path()),
            span,
            traced,
            told: Told::default(),
            is_over: false,
        }
    }

    fn context(&self) -> Option<TraceContext> {
        self.traced.as_ref().map(|traced| traced.context.clone())
    }

    fn service(&self) -> &'static str {
        self.told.0.get().map_or("", |AnsweredBy(name)| name)
    }

    fn count(&mut self, route: Option<String>, outcome: Outcome) {
        self.is_over = true;
        let observed = Observed {
            service: self.service(),
            route: route.unwrap_or_default(),
            method: self.method,
            outcome,
            elapsed: self.started.elapsed(),
        };
        if let Some(traced) = self.traced.take() {
            traced.end(&observed);
        }
        http_metrics().observe(observed);
    }

    fn end(&mut self, route: Option<String>, outcome: Outcome) {
        self.count(route, outcome);
        let (service, method, path) = (self.service(), self.method, self.path.as_str());
        let duration_ms = self.started.elapsed().as_secs_f64() * 1e3;
        let _in = self.span.enter();
        match (outcome, path) {
            (Outcome::Abandoned, _) => {
                tracing::info!(service, method, path, duration_ms, "request abandoned");
            }
            (Outcome::Status(status), "/health" | "/metrics") => {
                tracing::debug!(
                    service,
                    method,
                    path,
                    status,
                    duration_ms,
                    "request completed"
                );
            }
            (Outcome::Status(status), _) => {
                tracing::info!(
                    service,
                    method,
                    path,
                    status,
                    duration_ms,
                    "request completed"
                );
            }
        }
    }

    /// The same, but for the line in the log, which is written by whoever has this.
    fn end_later(&mut self, route: Option<String>, outcome: Outcome) -> Logged {
        self.count(route, outcome);
        Logged {
            span: self.span.clone(),
            service: self.service(),
            method: self.method,
            path: std::mem::take(&mut self.path),
            started: self.started,
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(None, unfinished());
        }
    }
}

/// What became of a request that is dropped: nobody waits for it, or its handler has panicked.
fn unfinished() -> Outcome {
    if thread::panicking() {
        Outcome::Status(500)
    } else {
        Outcome::Abandoned
    }
}

fn shortened(path: &str) -> String {
    if path.len() <= MAX_LOGGED_PATH {
        return path.to_owned();
    }
    let (start, _) = path.split_at(path.floor_char_boundary(MAX_LOGGED_PATH));
    format!("{start}…")
}

fn given_id(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(HEADER)?.to_str().ok()?;
    let sensible = !given.is_empty()
        && given.len() <= MAX_GIVEN_ID
        && given.bytes().all(|byte| byte.is_ascii_graphic());
    sensible.then(|| given.to_owned())
}
