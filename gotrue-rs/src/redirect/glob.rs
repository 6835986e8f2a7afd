//! The patterns of `GOTRUE_URI_ALLOW_LIST`.
//!
//! Upstream uses gobwas/glob with `.` and `/` as separators. No Rust library has these
//! semantics: `globset` knows one separator and treats `**` as a whole path component, `wax`
//! takes URLs apart at `/` only. The grammar is small, so it is translated into a regular
//! expression, which is matched in a time that grows with pattern and text and never with the number
//! of ways to match; the table in the tests was produced by the original.

use std::iter::Peekable;
use std::str::Chars;

use regex_lite::{Regex, escape};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct Glob(Regex);

impl Glob {
    /// Reads a pattern; the error says what is wrong with it.
    pub(crate) fn parse(pattern: &str) -> Result<Self, String> {
        let expression = format!(r"(?s)\A(?:{})\z", translate(pattern)?);
        let regex = Regex::new(&expression).map_err(|error| error.to_string())?;
        Ok(Self(regex))
    }

    /// Whether the whole text fits the pattern.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

fn translate(pattern: &str) -> Result<String, String> {
    let mut chars = pattern.chars().peekable();
    let (mut out, mut depth) = (String::new(), 0);
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.next_if_eq(&'*').is_some() => out.push_str(".*"),
            '*' => out.push_str("[^./]*"),
            '?' => out.push_str("[^./]"),
            '[' => out.push_str(&class(&mut chars)?),
            '{' => {
                depth += 1;
                out.push_str("(?:");
            }
            ',' if depth > 0 => out.push('|'),
            '}' if depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            '\\' => chars.next().into_iter().for_each(|c| literal(c, &mut out)),
            c => literal(c, &mut out),
        }
    }
    // The end of the pattern closes an open brace, too.
    Ok(out + &")".repeat(depth))
}

fn literal(c: char, out: &mut String) {
    out.push_str(&escape(c.encode_utf8(&mut [0; 4])));
}

/// `[abc]` or `[a-z]`, negated by `!`.
fn class(chars: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    let negated = chars.next_if_eq(&'!').is_some();
    let mut out = String::from(if negated { "[^" } else { "[" });
    let begin = out.len();
    loop {
        match chars.next().ok_or("unclosed [")? {
            ']' if out.len() > begin => return Ok(out + "]"),
            ']' => return Err("empty []".to_owned()),
            '\\' => chars.next().into_iter().for_each(|c| literal(c, &mut out)),
            // A range must be alone in its brackets.
            low if out.len() == begin && chars.next_if_eq(&'-').is_some() => {
                let high = chars.next().ok_or("unclosed [")?;
                if chars.next() != Some(']') {
                    return Err("expected ] after a range".to_owned());
                }
                if high < low {
                    return Err(format!("[{low}-{high}] is the wrong way round"));
                }
                literal(low, &mut out);
                out.push('-');
                literal(high, &mut out);
                return Ok(out + "]");
            }
            c => literal(c, &mut out),
        }
    }
}
