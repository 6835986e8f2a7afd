//! How much is logged.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use platform::env::Secret;
use platform::pg::{Database, DatabaseConfig};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;
use crate::mail::PostError;

/// The text of what is written down.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Text(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Lines {
    fn about(&self, text: &str) -> usize {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.contains(text)).count()
    }
}

const MANY: usize = 1000;

fn mail_server_away() -> Error {
    Error::internal("Error sending").with_source(PostError::Timeout)
}

async fn database_away(pool: &Database) -> Error {
    pool.client().await.map(drop).unwrap_err().into()
}

#[tokio::test]
async fn outages_get_one_line_a_second_each_and_failures_one_line_each() {
    let url = Secret::from("postgres://nobody@127.0.0.1:1/x");
    let pool = Database::new(&DatabaseConfig::new(url, "gotrue")).unwrap();
    pool.close();
    let (lines, started) = (Lines::default(), Instant::now());
    let _guard = tracing::subscriber::set_default(lines.clone());
    for _ in 0..MANY {
        log(&panicked(), StatusCode::INTERNAL_SERVER_ERROR);
    }
    let outages = ["too long", "no database", "timed out"];
    let mut sent = 0;
    // What another test said lately keeps these quiet for a second.
    while sent < MANY || outages.iter().any(|text| lines.about(text) == 0) {
        sent += 1;
        for error in [mail_server_away(), database_away(&pool).await, timed_out()] {
            log(&error, StatusCode::SERVICE_UNAVAILABLE);
        }
    }
    let most = usize::try_from(started.elapsed().as_secs()).unwrap() + 1;
    for text in outages {
        let written = lines.about(text);
        assert!(written <= most, "{text}: {written} lines");
    }
    assert_eq!(lines.about("Internal Server Error"), MANY);
}
