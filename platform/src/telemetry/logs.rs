//! Log output: pretty for people, JSON for machines.

use tracing_subscriber::EnvFilter;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a terminal.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// Starts logging to standard error at `level` (`info`, or a filter such as `gotrue=debug,info`).
/// A level that cannot be read counts as `info`; a second call does nothing.
pub fn init_logs(format: LogFormat, level: &str) {
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Pretty => builder.compact().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(%error, "logging was already started");
    }
}
