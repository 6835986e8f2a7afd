//! The process's metrics: one registry, since one process has one `/metrics`.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

static REGISTRY: LazyLock<Mutex<Registry>> =
    LazyLock::new(|| Mutex::new(Registry::with_prefix("wildfire")));

static HTTP: LazyLock<HttpMetrics> = LazyLock::new(HttpMetrics::registered);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    method: String,
    status: u16,
}

/// Requests by method and status, and how long they took.
pub struct HttpMetrics {
    requests: Family<Labels, Counter>,
    seconds: Histogram,
}

impl HttpMetrics {
    fn registered() -> Self {
        let requests = Family::default();
        let buckets = [
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
        ];
        let seconds = Histogram::new(buckets);
        register("http_requests", "Requests answered", requests.clone());
        register(
            "http_request_duration_seconds",
            "Time to answer",
            seconds.clone(),
        );
        Self { requests, seconds }
    }

    /// Counts one answered request. Unknown methods share a label, so that clients cannot make
    /// the table grow.
    pub fn observe(&self, method: &str, status: u16, elapsed: Duration) {
        let method = match method {
            "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => method,
            _ => "other",
        };
        self.requests
            .get_or_create(&Labels {
                method: method.to_owned(),
                status,
            })
            .inc();
        self.seconds.observe(elapsed.as_secs_f64());
    }
}

/// The HTTP metrics of this process.
pub fn http_metrics() -> &'static HttpMetrics {
    &HTTP
}

/// Adds a metric under the prefix `wildfire_`.
pub fn register(name: &str, help: &str, metric: impl Metric) {
    REGISTRY
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .register(name, help, metric);
}

/// All metrics in Prometheus' text format.
pub fn render() -> String {
    let mut text = String::new();
    let registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    // Writing to a string cannot fail.
    let _ = encode(&mut text, &registry);
    text
}
