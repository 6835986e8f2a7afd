//! Log output: pretty for people, JSON for machines.

use std::fmt::Debug;
use std::io::IsTerminal as _;
use std::str::FromStr;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, filter, fmt, registry};

use super::http_metrics;

/// The crates of this workspace, which know what must not be logged.
const OURS: [&str; 6] = [
    "gotrue",
    "platform",
    "platform_test",
    "prompt_api",
    "stack",
    "wildfire",
];

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a terminal.
    Pretty,
    /// One JSON object a line.
    Json,
}

impl FromStr for LogFormat {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        match text {
            "pretty" => Ok(Self::Pretty),
            "json" => Ok(Self::Json),
            _ => Err(FormatError),
        }
    }
}

/// How the log should look, and nobody knows what that is.
#[derive(Debug, thiserror::Error)]
#[error("must be pretty or json")]
pub struct FormatError;

/// What is wanted of the log, and cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("must be off, error, warn, info, debug or trace, or a filter such as gotrue=debug,info")]
pub struct LevelError;

/// Starts logging to standard error at `level` (`info`, or a filter such as `gotrue=debug,info`).
/// A level that [`check_level`] refuses counts as `info`; a second call does nothing.
pub fn init_logs(format: LogFormat, level: &str) {
    let wanted = read_level(level).unwrap_or_else(|_| EnvFilter::new("info"));
    if let Err(error) = subscriber(format, wanted, std::io::stderr).try_init() {
        tracing::debug!(%error, "logging was already started");
    }
}

/// Refuses what is no level and no filter.
pub fn check_level(text: &str) -> Result<(), LevelError> {
    read_level(text).map(|_| ())
}

/// A filter takes any word for the name of a part, so that a level that is spelled wrong would silence
/// everything.
fn read_level(text: &str) -> Result<EnvFilter, LevelError> {
    let is_known = |word: &str| word.parse::<LevelFilter>().is_ok() || is_ours(word);
    let mut words = text.split(',').filter(|part| !part.contains(['=', '[']));
    if !words.all(is_known) {
        return Err(LevelError);
    }
    EnvFilter::try_new(text).map_err(|_| LevelError)
}

/// Whether a part of the program is one of this workspace.
fn is_ours(target: &str) -> bool {
    OURS.contains(&target.split("::").next().unwrap_or_default())
}

fn subscriber<W>(format: LogFormat, wanted: EnvFilter, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // Colours are for eyes; a file and a collector of logs get none.
    let has_eyes = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let lines = fmt::layer().with_ansi(has_eyes).with_writer(writer);
    let lines = match format {
        LogFormat::Pretty => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    registry()
        .with(filter::filter_fn(may_be_logged))
        .with(BrokenConnections)
        .with(wanted)
        .with(lines)
}

/// Below `info`, libraries log what they work on: statements with their parameters, frames, mails.
/// Whoever reads those can open a session, so no setting brings them into the log.
fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    // What the server says of statements, as it says it, such as what a function raises.
    let is_notice = target == "tokio_postgres::connection" && *metadata.level() > Level::WARN;
    !is_notice && *metadata.level() <= Level::INFO || is_ours(target)
}

/// What the HTTP libraries call errors and is none: a stranger who sends what is no HTTP, or leaves in
/// the middle, is a number and no line; and a listener that is shut down takes nobody in any more.
struct BrokenConnections;

impl<S: Subscriber> Layer<S> for BrokenConnections {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        match event.metadata().target() {
            // What it goes on to say of the same connection is counted.
            "actix_http::h1::decoder" => false,
            "actix_http::h1::dispatcher" => {
                let is_about_stream = says(event, &["stream error: "]);
                if is_about_stream {
                    http_metrics().broken();
                }
                !is_about_stream
            }
            "actix_server::accept" => !says(event, &SHUT_DOWN),
            _ => true,
        }
    }
}

/// How it begins what is said of a listener that is shut down.
const SHUT_DOWN: [&str; 2] = [
    "Error accepting connection: Invalid argument",
    "Can not deregister server socket",
];

fn says(event: &Event<'_>, beginnings: &'static [&'static str]) -> bool {
    let mut message = Message {
        beginnings,
        is_one: false,
    };
    event.record(&mut message);
    message.is_one
}

/// Whether a message begins so.
struct Message {
    beginnings: &'static [&'static str],
    is_one: bool,
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let text = format!("{value:?}");
            self.is_one = self.beginnings.iter().any(|it| text.starts_with(it));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Result, Write};
    use std::sync::{Arc, Mutex};

    use tracing::subscriber::with_default;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn lines_of(level: &str, work: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = subscriber(LogFormat::Json, read_level(level).unwrap(), move || {
            writer.clone()
        });
        with_default(subscriber, work);
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    /// What the whole process has counted so far, other tests included.
    fn broken() -> u64 {
        let metrics = crate::telemetry::render();
        let name = "wildfire_http_connections_broken_total ";
        let mut values = metrics.lines().filter_map(|line| line.strip_prefix(name));
        values.next().map_or(0, |value| value.parse().unwrap())
    }

    fn logged(level: &str) -> String {
        lines_of(level, || {
            tracing::trace!(target: "tokio_postgres::query", parameters = "token", "theirs, trace");
            tracing::debug!(target: "tokio_postgres::query", parameters = "token", "theirs, debug");
            tracing::debug!(target: "h2::codec", frame = "token", "theirs, debug");
            tracing::debug!(target: "platformer", "theirs, debug");
            tracing::info!(target: "actix_server", "theirs, info");
            tracing::debug!(target: "gotrue::mail", "ours, debug");
            tracing::trace!(target: "stack", "ours, trace");
        })
    }

    #[test]
    fn what_strangers_send_is_counted_and_not_logged() {
        let before = broken();
        let text = lines_of("info", || {
            for _ in 0..100 {
                tracing::error!(target: "actix_http::h1::decoder", "MAX_BUFFER_SIZE reached");
                tracing::error!(target: "actix_http::h1::dispatcher", "stream error: {}", "garbage");
            }
            tracing::error!(target: "actix_http::h1::dispatcher", "Response payload stream error");
        });
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("Response payload stream error"), "{text}");
        assert_eq!(broken() - before, 100);
    }

    #[test]
    fn a_listener_that_is_shut_down_is_no_error_and_one_that_fails_is() {
        let text = lines_of("info", || {
            for error in ["Invalid argument (os error 22)", "Too many open files"] {
                tracing::error!(target: "actix_server::accept", "Error accepting connection: {error}");
            }
            tracing::error!(target: "actix_server::accept", "Can not deregister server socket {}", 1);
        });
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("Too many open files"), "{text}");
    }

    #[test]
    fn a_level_that_is_spelled_wrong_is_refused() {
        for level in ["loud", "infos", "gotrue=louder", "info,warm"] {
            assert!(read_level(level).is_err(), "{level}");
        }
        for level in [
            "info",
            "WARN",
            "gotrue=debug,info",
            "gotrue",
            "off",
            "sqlx=warn",
        ] {
            assert!(read_level(level).is_ok(), "{level}");
        }
    }

    #[test]
    fn what_a_server_notices_is_not_logged() {
        let text = lines_of("info", || {
            tracing::info!(target: "tokio_postgres::connection", "NOTICE: somebody's words");
            tracing::warn!(target: "tokio_postgres::connection", "of the connection itself");
        });
        assert_eq!(text.lines().count(), 1, "{text}");
    }

    #[test]
    fn libraries_never_log_what_they_work_on() {
        for level in [
            "debug",
            "trace",
            "tokio_postgres=trace",
            "info,tokio_postgres::query=debug,h2=trace",
        ] {
            let text = logged(level);
            assert!(
                !text.contains("token") && !text.contains("theirs, debug"),
                "{level}: {text}"
            );
        }
        let all = logged("trace");
        for line in ["theirs, info", "ours, debug", "ours, trace"] {
            assert!(all.contains(line), "{line}: {all}");
        }
        assert_eq!(logged("error"), "");
    }
}
