//! Sends finished spans to a collector. What it does not take in time is dropped and counted: neither
//! requests nor memory wait for it.

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    SdkTracer, SdkTracerProvider, Span, SpanData, SpanExporter as _, SpanProcessor,
};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::config::TracesConfig;
use crate::telemetry::{Metrics, seldom};

/// Most spans that are sent at once.
const BATCH: usize = 512;

/// Most attributes of a span.
const ATTRIBUTES: u32 = 16;

/// Time for what is left when the process ends.
const LAST_BATCH: Duration = Duration::from_millis(500);

const TOO_LONG: &str = "the collector took too long";

/// Why traces cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The HTTP client cannot be made.
    #[error(transparent)]
    Client(#[from] reqwest::Error),
    /// The exporter cannot be made.
    #[error(transparent)]
    Exporter(#[from] ExporterBuildError),
}

/// What becomes of spans.
#[derive(Clone, Debug)]
struct Counted {
    sent: Counter,
    dropped: Counter,
    failed: Counter,
}

impl Counted {
    fn new() -> Self {
        let metrics = Metrics::of("house");
        Self {
            sent: metrics.counter("traces_spans_sent", "Spans that a collector took"),
            dropped: metrics.counter("traces_spans_dropped", "Spans there was no room for"),
            failed: metrics.counter("traces_spans_failed", "Spans that no collector took"),
        }
    }
}

/// Takes spans as they end.
#[derive(Debug)]
struct Queue {
    spans: Sender<SpanData>,
    counted: Counted,
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() && self.spans.try_send(span).is_err() {
            self.counted.dropped.inc();
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Spans on their way.
pub(super) struct Export {
    ending: CancellationToken,
    task: JoinHandle<()>,
}

impl Export {
    /// Starts sending, on the runtime of the caller.
    pub(super) fn start(config: &TracesConfig) -> Result<(SdkTracer, Self), TracesError> {
        let client = reqwest::Client::builder()
            .timeout(config.timeout)
            .redirect(reqwest::redirect::Policy::none());
        let headers = config.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.expose().clone()));
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client.build()?)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(config.endpoint.as_str())
            .with_timeout(config.timeout)
            .with_headers(headers.collect())
            .build()?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty()
            .with_service_name(config.service.clone())
            .with_attribute(version)
            .with_attributes(config.attributes.clone())
            .build();
        exporter.set_resource(&resource);
        let (spans, waiting) = channel(config.most_waiting);
        let counted = Counted::new();
        let provider = SdkTracerProvider::builder()
            .with_sampler(config.sampler.clone())
            .with_max_attributes_per_span(ATTRIBUTES)
            .with_resource(resource)
            .with_span_processor(Queue {
                spans,
                counted: counted.clone(),
            })
            .build();
        let ending = CancellationToken::new();
        let sending = Sending {
            exporter,
            waiting,
            counted,
            config: config.clone(),
            ending: ending.clone(),
        };
        let task = tokio::spawn(sending.run());
        Ok((provider.tracer("wildfire"), Self { ending, task }))
    }

    /// Sends what is left, if that does not take long.
    pub(super) async fn finish(self) {
        self.ending.cancel();
        // It only ends before its time by a panic, which has been told.
        let _ = self.task.await;
    }
}

struct Sending {
    exporter: SpanExporter,
    waiting: Receiver<SpanData>,
    counted: Counted,
    config: TracesConfig,
    ending: CancellationToken,
}

impl Sending {
    async fn run(mut self) {
        let ending = self.ending.clone();
        let over = async move {
            ending.cancelled().await;
            tokio::time::sleep(LAST_BATCH).await;
        };
        let mut over = std::pin::pin!(over);
        let mut is_over = false;
        while !is_over {
            let batch = self.gather().await;
            if batch.is_empty() {
                return;
            }
            let spans = batch.len();
            let sent = tokio::select! {
                sent = tokio::time::timeout(self.config.timeout, self.exporter.export(batch)) => {
                    sent.map_err(|_| TOO_LONG.to_owned())
                        .and_then(|sent| sent.map_err(|error| error.to_string()))
                }
                () = &mut over => {
                    is_over = true;
                    Err(TOO_LONG.to_owned())
                }
            };
            self.count(spans, sent);
        }
        self.count(self.waiting.len(), Err(TOO_LONG.to_owned()));
    }

    fn count(&self, spans: usize, sent: Result<(), String>) {
        let spans = u64::try_from(spans).unwrap_or_default();
        let Err(error) = sent else {
            self.counted.sent.inc_by(spans);
            return;
        };
        self.counted.failed.inc_by(spans);
        if spans > 0
            && let Some(left_out) = seldom::TRACES.admit()
        {
            tracing::warn!(error, left_out, "Traces could not be sent");
        }
    }

    /// The next spans to send: as many as come within a while. None at the end.
    async fn gather(&mut self) -> Vec<SpanData> {
        let most = BATCH.min(self.config.most_waiting);
        let mut batch = Vec::new();
        let first = self
            .ending
            .run_until_cancelled(self.waiting.recv_many(&mut batch, most));
        if first.await.is_some() {
            let while_open = tokio::time::sleep(self.config.delay);
            let mut while_open = std::pin::pin!(while_open);
            while batch.len() < most {
                let room = most - batch.len();
                tokio::select! {
                    () = &mut while_open => break,
                    () = self.ending.cancelled() => break,
                    more = self.waiting.recv_many(&mut batch, room) => if more == 0 { break },
                }
            }
        }
        while batch.len() < most && self.ending.is_cancelled() {
            match self.waiting.try_recv() {
                Ok(span) => batch.push(span),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        batch
    }
}
