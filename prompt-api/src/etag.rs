//! Entity tags and preconditions.
//!
//! A prompt's tag says which version and which state of the row it stands for, so that a write can
//! compare it inside its own statement; the last part covers what the answer shows of others' rows.

use actix_web::http::header::{HeaderMap, HeaderName, IF_MATCH, IF_NONE_MATCH};
use jiff::Timestamp;

/// The state of a prompt somebody has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Precondition {
    pub(crate) version: i32,
    pub(crate) updated_at: Timestamp,
}

/// What `If-Match` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IfMatch {
    Anything,
    OneOf(Vec<Precondition>),
}

/// The tag of a prompt as shown from an address.
pub(crate) fn prompt_tag(state: Precondition, shown: [&str; 2], version: i32) -> String {
    let Precondition {
        version: current,
        updated_at,
    } = state;
    let micros = updated_at.as_microsecond();
    let rest = fingerprint(&[
        shown[0].as_bytes(),
        shown[1].as_bytes(),
        &version.to_le_bytes(),
    ]);
    format!("\"{current}-{micros:x}-{rest:x}\"")
}

/// Whether `If-None-Match` names this tag.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    tags(headers, &IF_NONE_MATCH).any(|known| known == "*" || opaque(known) == opaque(tag))
}

/// What `If-Match` asks for; tags that are not ours match nothing.
pub(crate) fn if_match(headers: &HeaderMap) -> IfMatch {
    if !headers.contains_key(IF_MATCH) || tags(headers, &IF_MATCH).any(|tag| tag == "*") {
        return IfMatch::Anything;
    }
    IfMatch::OneOf(tags(headers, &IF_MATCH).filter_map(precondition).collect())
}

fn tags<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    headers
        .get_all(name)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// A proxy that compresses may have weakened a tag; it still names the same state.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn precondition(tag: &str) -> Option<Precondition> {
    let inner = opaque(tag).strip_prefix('"')?.strip_suffix('"')?;
    let mut parts = inner.split('-');
    let version = parts.next()?.parse().ok()?;
    let micros = i64::from_str_radix(parts.next()?, 16).ok()?;
    let updated_at = Timestamp::from_microsecond(micros).ok()?;
    Some(Precondition {
        version,
        updated_at,
    })
}

/// FNV-1a with a separator after each part.
fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        headers
    }

    #[test]
    fn a_tag_reads_back_as_the_state_it_stands_for() {
        let updated_at = Timestamp::from_microsecond(1_795_163_400_123_456).unwrap();
        let state = Precondition {
            version: 3,
            updated_at,
        };
        let tag = prompt_tag(state, ["ada", "default"], 3);
        for given in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
            let expected = IfMatch::OneOf(vec![state]);
            assert_eq!(if_match(&headers(IF_MATCH, &given)), expected);
            assert!(is_known(&headers(IF_NONE_MATCH, &given), &tag));
        }
        assert_eq!(if_match(&headers(IF_MATCH, "*")), IfMatch::Anything);
        assert_eq!(
            if_match(&headers(IF_MATCH, "\"other\"")),
            IfMatch::OneOf(vec![])
        );
        assert_ne!(tag, prompt_tag(state, ["adad", "efault"], 3));
    }
}
