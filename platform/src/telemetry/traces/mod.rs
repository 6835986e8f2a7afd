//! Traces: who asked for a request, what came of it, and whom it asked in turn.
//!
//! A request with a valid `traceparent` belongs to that trace: the id is in its log lines, and goes on
//! to whomever it makes this process ask. Where the environment names a collector, each request is a
//! span that is sent there; see docs/decisions/0014-traces.md.

mod config;
mod context;
mod export;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use actix_web::http::header::HeaderMap;
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanKind, Status, TraceContextExt as _, Tracer as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span};

pub use config::TracesConfig;
pub use context::{TRACEPARENT, TRACESTATE, TraceContext};
use export::Export;
pub use export::TracesError;

use super::metrics::{OTHER_METHOD, Observed, Outcome};

/// One process has one.
static TRACER: RwLock<Option<SdkTracer>> = RwLock::new(None);
static IS_ON: AtomicBool = AtomicBool::new(false);

fn set_tracer(tracer: Option<SdkTracer>) {
    IS_ON.store(tracer.is_some(), Ordering::Release);
    *TRACER.write().unwrap_or_else(PoisonError::into_inner) = tracer;
}

fn tracer() -> Option<SdkTracer> {
    let is_on = IS_ON.load(Ordering::Acquire);
    let tracer = || {
        TRACER
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    };
    is_on.then(tracer).flatten()
}

/// Traces that are being sent.
pub struct Traces(Export);

impl Traces {
    /// From now on the requests of this process are traced.
    pub fn start(config: &TracesConfig) -> Result<Self, TracesError> {
        let (tracer, export) = Export::start(config)?;
        set_tracer(Some(tracer));
        Ok(Self(export))
    }

    /// No further requests are; sends what is left, if that does not take long.
    pub async fn finish(self) {
        set_tracer(None);
        self.0.finish().await;
    }
}

/// A request that belongs to a trace.
pub(crate) struct TracedRequest {
    pub(crate) context: TraceContext,
    /// None if nothing is sent from here.
    span: Option<Span>,
}

impl TracedRequest {
    /// A request with these headers, if it belongs to a trace or begins one.
    pub(crate) fn begin(headers: &HeaderMap) -> Option<Self> {
        let given = TraceContext::of(headers);
        let Some(tracer) = tracer() else {
            let span = None;
            return given.map(|context| Self { context, span });
        };
        let parent = given.map_or_else(Context::new, |given| {
            Context::new().with_remote_span_context(given.span_context().clone())
        });
        let builder = SpanBuilder::from_name("request").with_kind(SpanKind::Server);
        let span = tracer.build_with_context(builder, &parent);
        let context = TraceContext::new(span.span_context().clone());
        let span = Some(span);
        Some(Self { context, span })
    }

    /// It is over.
    pub(crate) fn end(self, observed: &Observed) {
        let Some(mut span) = self.span.filter(Span::is_recording) else {
            return;
        };
        let method = match observed.method {
            OTHER_METHOD => "HTTP",
            known => known,
        };
        let name = format!("{method} {}", observed.route);
        span.update_name(name.trim_end().to_owned());
        span.set_attributes([
            KeyValue::new("http.request.method", observed.method),
            KeyValue::new("http.route", observed.route.clone()),
            KeyValue::new("wildfire.service", observed.service),
            match observed.outcome {
                Outcome::Status(status) => {
                    KeyValue::new("http.response.status_code", i64::from(status))
                }
                Outcome::Abandoned => KeyValue::new("error.type", "abandoned"),
            },
        ]);
        if matches!(observed.outcome, Outcome::Status(500..)) {
            span.set_status(Status::error(""));
        }
        span.end();
    }
}
