//! Query strings as Go's `net/url` reads and writes them.
//!
//! Fragments and queries of redirects are compared byte for byte by clients and tests, so keys
//! are sorted and a space becomes `+`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The decoded pairs of a query, several values per key in their order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Values(BTreeMap<String, Vec<String>>);

impl Values {
    /// Reads a raw query; pairs that are malformed or contain a semicolon are left out.
    pub(crate) fn parse(raw: &str) -> Self {
        let mut values = Self::default();
        for pair in raw.split('&') {
            if pair.is_empty() || pair.contains(';') {
                continue;
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Some(key), Some(value)) = (unescape(key), unescape(value)) {
                values.0.entry(key).or_default().push(value);
            }
        }
        values
    }

    /// Replaces all values of a key.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), vec![value.into()]);
    }

    /// Drops all values of a key.
    pub(crate) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// The query string, keys sorted.
    pub(crate) fn encode(&self) -> String {
        let mut out = String::new();
        for (key, values) in &self.0 {
            for value in values {
                if !out.is_empty() {
                    out.push('&');
                }
                out.push_str(&escape(key));
                out.push('=');
                out.push_str(&escape(value));
            }
        }
        out
    }
}

/// Escapes one key or value.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Undoes [`escape`]; `None` for a broken escape.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => hex(rest.next()?)? * 16 + hex(rest.next()?)?,
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}
