//! Replaces what is different each time, and leaves the rest letter by letter.

use serde_json::value::RawValue;

/// Sentences of Go's decoder, which this service has in other words: a row of the document.
const IN_OTHER_WORDS: [&str; 2] = [
    "Could not parse request body as JSON: ",
    "Could not read verification params: ",
];

/// A JSON body as it is recorded; nothing if it is none.
pub(super) fn body(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    let mut recorded = String::with_capacity(text.len());
    let mut ids = Ids::default();
    let mut key = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let end = start + 2 + end_of_string(&rest[start + 1..]);
        let (literal, after) = (&rest[start + 1..end - 1], &rest[end..]);
        recorded.push_str(&number(&key, &rest[..start]));
        recorded.push('"');
        if after.starts_with(':') {
            literal.clone_into(&mut key);
            recorded.push_str(literal);
        } else {
            recorded.push_str(&string(&key, literal, &mut ids));
        }
        recorded.push('"');
        rest = after;
    }
    recorded.push_str(&number(&key, rest));
    RawValue::from_string(recorded).ok()
}

/// A header as it is recorded.
pub(super) fn header(name: &str, value: &str) -> String {
    match name {
        "location" => with_parameters(value, "&", &CREDENTIALS),
        "sb-auth-refresh-token-prefix" => "<prefix>".to_owned(),
        "retry-after" => "<seconds>".to_owned(),
        _ => Ids::default().replaced(value),
    }
}

/// The place of the quote that ends a string.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.expect("JSON")
}

/// What stands between two strings, after this key.
fn number(key: &str, text: &str) -> String {
    let digits = |text: &str| text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    match (key, text.strip_prefix(':').map(|_| digits(text))) {
        ("expires_at" | "exp" | "iat", Some(length)) if length > 0 => {
            format!(":0{}", &text[length + 1..])
        }
        _ => text.to_owned(),
    }
}

fn string(key: &str, literal: &str, ids: &mut Ids) -> String {
    match key {
        _ if literal.is_empty() => String::new(),
        "access_token" | "refresh_token" => "<token>".to_owned(),
        "hashed_token" => "<hash>".to_owned(),
        "email_otp" => "<code>".to_owned(),
        "secret" => "<secret>".to_owned(),
        "version" => "<version>".to_owned(),
        "qr_code" => "<picture>".to_owned(),
        "uri" => with_parameters(literal, "\\u0026", &["secret"]),
        "action_link" => with_parameters(literal, "\\u0026", &["token"]),
        _ if is_time(literal) => "<time>".to_owned(),
        _ => message(&ids.replaced(literal)),
    }
}

fn message(text: &str) -> String {
    let sentence = IN_OTHER_WORDS
        .iter()
        .find(|sentence| text.starts_with(*sentence));
    sentence.map_or_else(|| text.to_owned(), |sentence| format!("{sentence}<why>"))
}

/// Any other body: a page that leads somewhere names it once more.
pub(super) fn text(body: &str) -> String {
    with_parameters(body, "&amp;", &CREDENTIALS)
}

/// Parameters of the addresses to which who signed in is sent.
const CREDENTIALS: [&str; 5] = [
    "access_token",
    "refresh_token",
    "expires_at",
    "code",
    "token",
];

/// Replaces the values of these parameters in an address.
fn with_parameters(address: &str, separator: &str, names: &[&str]) -> String {
    let mut recorded = address.to_owned();
    for name in names {
        for before in ["?", "#", separator] {
            let begin = format!("{before}{name}=");
            if let Some(at) = recorded.find(&begin) {
                let value = at + begin.len();
                let ends = ["#", separator];
                let ends = ends.iter().filter_map(|end| recorded[value..].find(end));
                let end = ends.min().map_or(recorded.len(), |end| value + end);
                recorded.replace_range(value..end, &format!("<{name}>"));
            }
        }
    }
    recorded
}

/// Whether a text is a moment such as `2026-01-31T10:00:00.123Z`.
fn is_time(text: &str) -> bool {
    text.len() >= 20 && text.as_bytes()[10] == b'T' && text.parse::<jiff::Timestamp>().is_ok()
}

/// The ids of an answer in the order in which they come, so that it shows which are the same.
#[derive(Default)]
struct Ids(Vec<String>);

impl Ids {
    fn replaced(&mut self, text: &str) -> String {
        const LENGTH: usize = 36;
        let mut recorded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let id = rest.get(..LENGTH).filter(|id| is_random_id(id));
            if let Some(id) = id {
                recorded.push_str(&self.name(id));
                rest = &rest[LENGTH..];
            } else {
                recorded.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        recorded
    }

    fn name(&mut self, id: &str) -> String {
        let known = self.0.iter().position(|known| known == id);
        let index = known.unwrap_or_else(|| {
            self.0.push(id.to_owned());
            self.0.len() - 1
        });
        format!("<id {}>", index + 1)
    }
}

/// Ids that requests name have one digit only.
fn is_random_id(text: &str) -> bool {
    let digits = text.bytes().filter(|byte| *byte != b'-');
    text.as_bytes()[8] == b'-'
        && uuid::Uuid::parse_str(text).is_ok()
        && digits
            .clone()
            .any(|byte| Some(byte) != digits.clone().next() && !b"48".contains(&byte))
}

#[test]
fn what_differs_each_time_is_replaced_and_nothing_else() {
    let answer = r#"{"id":"2b1e9d5c-0a0f-4a8e-9f50-0d7a7e7a7c11","at":"2026-01-31T10:00:00.1Z",
        "access_token":"a.b.c","expires_at":1769853600,"n":1.50,"of":"2b1e9d5c-0a0f-4a8e-9f50-0d7a7e7a7c11",
        "nil":"00000000-0000-0000-0000-000000000000","\u0026":"<\\\"","b":[true,null]}"#;
    let recorded = r#"{"id":"<id 1>","at":"<time>",
        "access_token":"<token>","expires_at":0,"n":1.50,"of":"<id 1>",
        "nil":"00000000-0000-0000-0000-000000000000","\u0026":"<\\\"","b":[true,null]}"#;
    assert_eq!(body(answer).unwrap().get(), recorded);
    assert!(body("404 page not found\n").is_none());
    assert_eq!(
        header(
            "location",
            "app://x#access_token=a.b&expires_at=1&type=signup"
        ),
        "app://x#access_token=<access_token>&expires_at=<expires_at>&type=signup"
    );
}
