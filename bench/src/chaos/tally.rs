//! What the attacker was answered, counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::http::Answer;

/// Counts by what happened: a status, `closed`, …
#[derive(Default)]
pub(crate) struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
    /// Counts one event.
    pub(crate) fn count(&self, event: &str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(event.to_owned()).or_default() += 1;
    }

    /// Counts an answer.
    pub(crate) fn answer(&self, answer: &Answer) {
        self.count(&label(answer));
    }

    /// Everything that was counted.
    pub(crate) fn take(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An answer's status, and whether it lacks what its status asks for.
pub(crate) fn label(answer: &Answer) -> String {
    let status = answer.status;
    if matches!(status, 429 | 503) && !answer.has_retry_after {
        return format!("{status} without Retry-After");
    }
    status.to_string()
}

/// Whether something that could not be served was said in the wrong way.
pub(crate) fn is_wrong(label: &str) -> bool {
    label.starts_with('5') && label != "503" || label.starts_with("429 ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_to_say_when_to_come_again() {
        let is_wrong = |status, has_retry_after| {
            is_wrong(&label(&Answer {
                status,
                has_retry_after,
                body: Vec::new(),
            }))
        };
        for status in [429, 503] {
            assert!(is_wrong(status, false), "{status}");
            assert!(!is_wrong(status, true), "{status}");
        }
        assert!(is_wrong(500, true));
        assert!(!is_wrong(404, false));
    }
}
