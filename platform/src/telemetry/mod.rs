//! Logs by `tracing`, counters in Prometheus format.

mod logs;
mod metrics;
pub mod seldom;

pub use logs::{LogFormat, init_logs};
pub use metrics::{CloseReason, HttpMetrics, http_metrics, register, render};
