//! The process's metrics: one registry, since one process has one `/metrics`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use actix_web::http::Method;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use super::kept::{self, Kept, Kind, Labels};

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::with_prefix("wildfire");
    registry.register_collector(Box::new(Kept));
    Mutex::new(registry)
});

static HTTP: LazyLock<HttpMetrics> = LazyLock::new(HttpMetrics::registered);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByAnswer {
    service: &'static str,
    route: String,
    method: &'static str,
    status: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByRoute {
    service: &'static str,
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByService {
    service: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Closed {
    reason: &'static str,
}

/// Why a connection was closed or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CloseReason {
    /// Nobody needed it any more.
    Finished,
    /// The client said nothing.
    NoFirstByte,
    /// A head did not arrive in time.
    SlowHead,
    /// A head was larger than any may be.
    HeadTooLarge,
    /// No further request came.
    Idle,
    /// The client did not take its answer.
    NotReading,
    /// More of a body kept coming after its request had been answered.
    BodyRefused,
    /// Too many connections of one address had not sent a request.
    AddressCrowded,
    /// Too many connections had not sent a request.
    Crowded,
    /// Too many connections were open.
    Full,
    /// It held memory for long while others needed some.
    Holding,
    /// The process ends.
    Stopping,
}

impl CloseReason {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Finished,
        Self::NoFirstByte,
        Self::SlowHead,
        Self::HeadTooLarge,
        Self::Idle,
        Self::NotReading,
        Self::BodyRefused,
        Self::AddressCrowded,
        Self::Crowded,
        Self::Full,
        Self::Holding,
        Self::Stopping,
    ];

    /// Whether somebody newer needs the place.
    pub fn makes_room(self) -> bool {
        matches!(self, Self::AddressCrowded | Self::Crowded | Self::Full)
    }

    /// The label in the metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::NoFirstByte => "no_first_byte",
            Self::SlowHead => "slow_head",
            Self::HeadTooLarge => "head_too_large",
            Self::Idle => "idle",
            Self::NotReading => "not_reading",
            Self::BodyRefused => "body_refused",
            Self::AddressCrowded => "address_crowded",
            Self::Crowded => "crowded",
            Self::Full => "full",
            Self::Holding => "holding",
            Self::Stopping => "stopping",
        }
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was answered so.
    Status(u16),
    /// Its client left before it was answered.
    Abandoned,
}

impl EncodeLabelValue for Outcome {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => status.encode(encoder),
            Self::Abandoned => "abandoned".encode(encoder),
        }
    }
}

/// A request that is over.
#[derive(Debug)]
pub struct Observed {
    /// Who was to answer it.
    pub service: &'static str,
    /// The pattern that its path fits; empty if it fits none, or nobody can tell any more.
    pub route: String,
    /// What was to be done, by [`method_name`].
    pub method: &'static str,
    /// What became of it.
    pub outcome: Outcome,
    /// How long that took.
    pub elapsed: Duration,
}

/// What any method that is not known is called: each word of a client's may be one.
pub(super) const OTHER_METHOD: &str = "_OTHER";

/// What a method is called wherever requests are written down.
pub fn method_name(method: &Method) -> &'static str {
    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let mut known = METHODS.into_iter();
    known
        .find(|known| *known == method.as_str())
        .unwrap_or(OTHER_METHOD)
}

/// Requests by service, route, method and status and how long they took, closed connections by reason,
/// what was no HTTP, bytes in flight, sockets.
pub struct HttpMetrics {
    requests: Family<ByAnswer, Counter>,
    seconds: Family<ByRoute, Histogram, fn() -> Histogram>,
    closed: Family<Closed, Counter>,
    broken: Counter,
    in_flight: Gauge,
    sockets: Family<ByService, Gauge>,
}

impl HttpMetrics {
    fn registered() -> Self {
        let requests = Family::default();
        let seconds = Family::new_with_constructor(durations as fn() -> Histogram);
        register(
            "http_requests",
            "Requests answered or abandoned",
            requests.clone(),
        );
        register(
            "http_request_duration_seconds",
            "Time to answer",
            seconds.clone(),
        );
        let closed = Family::default();
        register(
            "http_connections_closed",
            "Connections closed or refused",
            closed.clone(),
        );
        let broken = Counter::default();
        register(
            "http_connections_broken",
            "Connections whose client sent what is no HTTP, or left in the middle",
            broken.clone(),
        );
        let in_flight = Gauge::default();
        register(
            "http_bytes_in_flight",
            "Bytes of bodies being read and of answers not yet taken",
            in_flight.clone(),
        );
        let sockets = Family::default();
        register(
            "http_sockets_open",
            "Connections that a service has claimed",
            sockets.clone(),
        );
        Self {
            requests,
            seconds,
            closed,
            broken,
            in_flight,
            sockets,
        }
    }

    /// Counts one closed or refused connection.
    pub fn closed(&self, reason: CloseReason) {
        let reason = reason.as_str();
        self.closed.get_or_create(&Closed { reason }).inc();
    }

    /// Counts one connection that its client broke.
    pub(super) fn broken(&self) {
        self.broken.inc();
    }

    /// Notes how many bytes are in flight.
    pub fn in_flight(&self, bytes: usize) {
        self.in_flight.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// So many more sockets of a service are open.
    pub fn sockets(&self, service: &'static str, more: i64) {
        self.sockets
            .get_or_create(&ByService { service })
            .inc_by(more);
    }

    /// Counts one request, and how long its answer took if it has one.
    pub fn observe(&self, observed: Observed) {
        let Observed {
            service,
            route,
            method,
            outcome,
            elapsed,
        } = observed;
        let by_route = ByRoute { service, route };
        if outcome != Outcome::Abandoned {
            let seconds = elapsed.as_secs_f64();
            self.seconds.get_or_create(&by_route).observe(seconds);
        }
        let labels = ByAnswer {
            service,
            route: by_route.route,
            method,
            status: outcome,
        };
        self.requests.get_or_create(&labels).inc();
    }
}

fn durations() -> Histogram {
    Histogram::new([
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
    ])
}

/// The HTTP metrics of this process.
pub fn http_metrics() -> &'static HttpMetrics {
    &HTTP
}

/// The metrics of one service: what it counts carries its name.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    service: &'static str,
    part: Option<(&'static str, &'static str)>,
}

impl Metrics {
    /// Those of this service.
    pub const fn of(service: &'static str) -> Self {
        let part = None;
        Self { service, part }
    }

    /// Those of one of several parts, which gets a label of its own.
    #[must_use]
    pub const fn part(self, name: &'static str, value: &'static str) -> Self {
        let part = Some((name, value));
        Self { part, ..self }
    }

    fn labels(self) -> Labels {
        let labels = [Some(("service", self.service)), self.part];
        labels.into_iter().flatten().collect()
    }

    /// A counter under the prefix `wildfire_` with the label `service`. The same name is the same
    /// counter, however often it is asked for.
    pub fn counter(self, name: &'static str, help: &str) -> Counter {
        static FAMILIES: LazyLock<Mutex<HashMap<&str, Family<Labels, Counter>>>> =
            LazyLock::new(Mutex::default);
        let mut families = FAMILIES.lock().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(name).or_insert_with(|| {
            let family = Family::default();
            register(name, help, family.clone());
            family
        });
        family.get_or_create(&self.labels()).clone()
    }

    /// A number that may fall, looked at for as long as its keeper lives when somebody asks for the
    /// metrics. The same name and labels of several keepers are added up.
    pub fn gauge<T: Send + Sync + 'static>(
        self,
        name: &'static str,
        help: &'static str,
        keeper: &Arc<T>,
        look: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) {
        kept::show(Kind::Gauge, (name, help), self.labels(), keeper, look);
    }

    /// The same for a number that only grows.
    pub fn total<T: Send + Sync + 'static>(
        self,
        name: &'static str,
        help: &'static str,
        keeper: &Arc<T>,
        look: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) {
        kept::show(Kind::Counter, (name, help), self.labels(), keeper, look);
    }
}

/// A count as the metrics have it.
#[expect(clippy::cast_precision_loss, reason = "nobody counts that far")]
pub fn count(number: impl TryInto<u64>) -> f64 {
    number.try_into().unwrap_or(u64::MAX) as f64
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
