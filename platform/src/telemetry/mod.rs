//! Logs by `tracing`, counters in Prometheus format.

mod logs;
mod metrics;

pub use logs::{LogFormat, init_logs};
pub use metrics::{HttpMetrics, http_metrics, register, render};
