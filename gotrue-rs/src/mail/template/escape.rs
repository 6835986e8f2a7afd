//! The escapers of `html/template`, one for each place a value can land in.

use std::fmt::Write as _;

use super::css;
use super::format::{UNSAFE, sprint};
use super::value::Value;

/// A step between a value and the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escaper {
    /// Text, textarea, quoted attribute.
    Html,
    /// Attribute value without quotes.
    Unquoted,
    /// An attribute's name.
    AttributeName,
    /// Start of a URL: other schemes than http, https and mailto are not let through.
    UrlScheme,
    /// Up to the query of a URL: what is escaped already stays.
    UrlPath,
    /// Query or fragment of a URL.
    UrlValue,
    /// A value in a style sheet.
    Css,
    /// Inside a comment: nothing is written.
    Omit,
    /// The template's own `| html` took this place.
    GoHtml,
    /// The template's own `| urlquery` took this place.
    GoQuery,
}

/// The escaped text.
pub(super) fn apply(escapers: &[Escaper], text: String) -> String {
    escapers.iter().fold(text, |text, escaper| match escaper {
        Escaper::Html => html(&text),
        Escaper::Unquoted => unquoted(&text),
        Escaper::AttributeName => attribute_name(&text),
        Escaper::UrlScheme => url_scheme(text),
        Escaper::UrlPath => url(&text, true),
        Escaper::UrlValue => url(&text, false),
        Escaper::Css => css::value(&text),
        Escaper::Omit => String::new(),
        Escaper::GoHtml => go_html(&text),
        Escaper::GoQuery => go_query(&text),
    })
}

/// The text of a pipeline's result; what is nil (a missing key, too) is left out.
pub(super) fn stringify(values: &[Value]) -> String {
    let shown: Vec<Value> = values
        .iter()
        .filter(|value| **value != Value::Nil)
        .cloned()
        .collect();
    sprint(&shown)
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            '+' => out.push_str("&#43;"),
            c => push_html(&mut out, c),
        }
    }
    out
}

/// The `html` function: as the escaper, but a plus stays.
pub(super) fn go_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            c => push_html(&mut out, c),
        }
    }
    out
}

fn push_html(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("&#34;"),
        '\'' => out.push_str("&#39;"),
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        c => out.push(c),
    }
}

fn unquoted(text: &str) -> String {
    if text.is_empty() {
        return UNSAFE.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push_str("&#xfffd;"),
            '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '+' | '=' | '`' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}' => {
                let _ = write!(out, "&#x{:x};", u32::from(c));
            }
            c => push_html(&mut out, c),
        }
    }
    out
}

/// Names of plain attributes only: a value must not become a URL, a style or a script.
fn attribute_name(text: &str) -> String {
    let lower = text.to_lowercase();
    let plain = !lower.is_empty()
        && lower.chars().all(|c| c.is_ascii_alphanumeric())
        && super::attribute::is_plain_attribute(&lower);
    if plain { lower } else { UNSAFE.to_owned() }
}

fn url_scheme(text: String) -> String {
    let safe = match text.split_once(':') {
        Some((scheme, _)) if !scheme.contains('/') => ["http", "https", "mailto"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known)),
        _ => true,
    };
    if safe { text } else { format!("#{UNSAFE}") }
}

fn url(text: &str, keep_reserved: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    for (at, byte) in bytes.iter().enumerate() {
        let keeps = match byte {
            b'-' | b'.' | b'_' | b'~' => true,
            b'!' | b'#' | b'$' | b'&' | b'*' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?'
            | b'@' | b'[' | b']' => keep_reserved,
            b'%' => {
                keep_reserved
                    && bytes[at + 1..].len() >= 2
                    && bytes[at + 1..=at + 2].iter().all(u8::is_ascii_hexdigit)
            }
            byte => byte.is_ascii_alphanumeric(),
        };
        if keeps {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

/// The `urlquery` function, Go's `url.QueryEscape`.
pub(super) fn go_query(text: &str) -> String {
    crate::redirect::query::escape(text)
}
