//! What is logged.

use std::io::Write;
use std::sync::{Mutex, Once};

use serde_json::Value;
use tracing_subscriber::fmt;

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Keeps all lines from now on.
pub(crate) fn keep() {
    static LOGS: Once = Once::new();
    LOGS.call_once(|| fmt().json().flatten_event(true).with_writer(|| Kept).init());
}

struct Kept;

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The one line about a path that begins like this, if there is one yet.
pub(crate) fn about(path: &str) -> Option<Value> {
    let lines = String::from_utf8(LINES.lock().unwrap().clone()).unwrap();
    let mut lines = lines.lines().filter(|line| line.contains(path));
    let line = lines.next()?;
    assert_eq!(lines.next(), None);
    Some(serde_json::from_str(line).unwrap())
}

/// Waits for that line.
pub(crate) async fn wait_for(path: &str) -> Value {
    loop {
        match about(path) {
            Some(line) => return line,
            None => tokio::task::yield_now().await,
        }
    }
}
