//! Where a request stands among all that is done for somebody: W3C's `traceparent` and `tracestate`.
//!
//! They come from strangers and are passed on, so they are what the standard says or they are nothing.
//! `baggage` is neither read nor passed on: it is for whoever wrote it, and nobody here needs it.

use std::fmt;
use std::str::FromStr as _;

use actix_web::http::header::{HeaderMap, HeaderName};
use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

/// The header that says which.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// The header with what others wrote down about it.
pub const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Most of `tracestate` that is passed on, bytes and entries: what the standard asks for.
const MAX_STATE: usize = 512;
const MAX_ENTRIES: usize = 32;

tokio::task_local! {
    /// That of the request that is being handled.
    static CURRENT: Option<TraceContext>;
}

/// A place in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext(SpanContext);

impl TraceContext {
    /// What a request says, if that is valid.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut parents = headers.get_all(TRACEPARENT);
        let (Some(parent), None) = (parents.next(), parents.next()) else {
            return None;
        };
        let (trace, span, flags) = parse(parent.as_bytes())?;
        let context = SpanContext::new(trace, span, flags, true, state(headers));
        context.is_valid().then_some(Self(context))
    }

    pub(super) fn new(context: SpanContext) -> Self {
        Self(context)
    }

    pub(super) fn span_context(&self) -> &SpanContext {
        &self.0
    }

    /// The one of the request that this task works for.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// Does `work` for a request.
    pub async fn within<W: Future>(context: Option<Self>, work: W) -> W::Output {
        CURRENT.scope(context, work).await
    }

    /// The same for all requests of a trace.
    pub fn trace_id(&self) -> impl fmt::Display {
        self.0.trace_id()
    }

    /// The headers for who is asked next.
    pub fn headers(&self) -> impl Iterator<Item = (HeaderName, String)> + use<> {
        let parent = format!(
            "00-{}-{}-{:02x}",
            self.0.trace_id(),
            self.0.span_id(),
            self.0.trace_flags() & TraceFlags::SAMPLED
        );
        let state = self.0.trace_state().header();
        let state = (!state.is_empty()).then_some((TRACESTATE, state));
        [Some((TRACEPARENT, parent)), state].into_iter().flatten()
    }
}

/// `version-trace-span-flags` in lower-case hexadecimal digits; a later version may say more.
fn parse(text: &[u8]) -> Option<(TraceId, SpanId, TraceFlags)> {
    let (known, more) = text.split_at_checked(55)?;
    let [version, trace, span, flags] = [0..2, 3..35, 36..52, 53..55].map(|part| &known[part]);
    let separated = [2, 35, 52].iter().all(|at| known[*at] == b'-');
    let fits = match version {
        b"ff" => false,
        b"00" => more.is_empty(),
        _ => more.is_empty() || more[0] == b'-',
    };
    let digits = |part: &[u8]| {
        part.iter()
            .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
    };
    let hexadecimal = [version, trace, span, flags].into_iter().all(digits);
    if !(separated && fits && hexadecimal) {
        return None;
    }
    let text = |part| std::str::from_utf8(part).ok();
    let flags = u8::from_str_radix(text(flags)?, 16).ok()?;
    Some((
        TraceId::from_hex(text(trace)?).ok()?,
        SpanId::from_hex(text(span)?).ok()?,
        TraceFlags::new(flags),
    ))
}

/// What else is said, or nothing if that is too much or not what it should be.
fn state(headers: &HeaderMap) -> TraceState {
    let lines = headers.get_all(TRACESTATE);
    let lines: Option<Vec<&str>> = lines.map(|line| line.to_str().ok()).collect();
    let all = lines.unwrap_or_default().join(",");
    if all.len() > MAX_STATE {
        return TraceState::NONE;
    }
    let entries: Vec<&str> = all.split(',').map(str::trim).collect();
    if entries.len() > MAX_ENTRIES || !entries.iter().all(|entry| is_entry(entry)) {
        return TraceState::NONE;
    }
    TraceState::from_str(&entries.join(",")).unwrap_or(TraceState::NONE)
}

/// `key=value`; of both, only what the standard allows.
fn is_entry(entry: &str) -> bool {
    let Some((key, value)) = entry.split_once('=') else {
        return false;
    };
    let in_key =
        |it: u8| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
    let in_value = |it: u8| matches!(it, b' '..=b'~') && it != b'=';
    let is_sayable = !key.is_empty() && !value.is_empty();
    is_sayable && key.bytes().all(in_key) && value.bytes().all(in_value)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    fn headers(parents: &[&str], states: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, values) in [(TRACEPARENT, parents), (TRACESTATE, states)] {
            for value in values {
                headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
            }
        }
        headers
    }

    fn passed_on(parents: &[&str], states: &[&str]) -> Option<Vec<String>> {
        let context = TraceContext::of(&headers(parents, states))?;
        Some(context.headers().map(|(_, value)| value).collect())
    }

    #[test]
    fn what_the_standard_allows_is_passed_on() {
        let plain = format!("00-{TRACE}-{SPAN}-01");
        for (parent, sent) in [
            (plain.clone(), plain.clone()),
            (
                format!("00-{TRACE}-{SPAN}-00"),
                format!("00-{TRACE}-{SPAN}-00"),
            ),
            // Flags and versions that nobody knows yet.
            (format!("00-{TRACE}-{SPAN}-ff"), plain.clone()),
            (format!("cc-{TRACE}-{SPAN}-01-what-more"), plain.clone()),
            (format!("cc-{TRACE}-{SPAN}-01"), plain.clone()),
        ] {
            assert_eq!(passed_on(&[&parent], &[]), Some(vec![sent]), "{parent}");
        }
        let states = passed_on(&[&plain], &["a=1, b@c=2", "d=3"]);
        assert_eq!(states, Some(vec![plain, "a=1,b@c=2,d=3".to_owned()]));
    }

    #[test]
    fn what_it_does_not_allow_is_nothing() {
        let plain = format!("00-{TRACE}-{SPAN}-01");
        for parent in [
            "",
            "00",
            &plain[..54],
            &format!("{plain}-more"),
            &format!("{plain}0"),
            &plain.to_uppercase(),
            &plain.replace("00-", "ff-"),
            &plain.replace("00-", "0g-"),
            &plain.replace('-', "_"),
            &format!("00-{}-{SPAN}-01", "0".repeat(32)),
            &format!("00-{TRACE}-{}-01", "0".repeat(16)),
            &format!("00-+{}-{SPAN}-01", &TRACE[1..]),
            &"0".repeat(8000),
        ] {
            assert_eq!(passed_on(&[parent], &[]), None, "{parent}");
        }
        assert_eq!(passed_on(&[&plain, &plain], &[]), None);
        let long = format!("a={}", "x".repeat(600));
        let many = vec!["a=1"; 33].join(",");
        for state in [
            &long, &many, "no pairs", "=", "a=", "A=1", "a=1=2", "a=1,,b=2",
        ] {
            let sent = passed_on(&[&plain], &[state]);
            assert_eq!(sent, Some(vec![plain.clone()]), "{state}");
        }
    }
}
