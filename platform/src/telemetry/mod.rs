//! Logs by `tracing`, counters in Prometheus format.

mod logs;
mod metrics;
pub mod seldom;

pub use logs::{LogFormat, init_logs};
pub use metrics::{CloseReason, HttpMetrics, Metrics, http_metrics, register, render};
pub use prometheus_client::metrics::counter::Counter;
