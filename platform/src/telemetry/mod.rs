//! Logs by `tracing`, counters in Prometheus format, traces by OpenTelemetry.

mod kept;
mod logs;
mod metrics;
pub mod seldom;
pub mod traces;

pub use logs::{LevelError, LogFormat, check_level, init_logs};
pub use metrics::{
    CloseReason, HttpMetrics, Metrics, Observed, Outcome, count, http_metrics, method_name,
    register, render,
};
pub use prometheus_client::metrics::counter::Counter;
