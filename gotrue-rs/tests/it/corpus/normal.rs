//! Replaces what is different each time, and leaves the rest letter by letter. Of an access token the
//! claims are shown; an id is named after the step that said it first, so that it shows which are the
//! same; a time has its shape.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::value::RawValue;

/// Sentences of Go's decoder, which this service has in other words: a row of the document.
const IN_OTHER_WORDS: [&str; 2] = [
    "Could not parse request body as JSON: ",
    "Could not read verification params: ",
];

/// A JSON body as it is recorded; nothing if it is none.
pub(super) fn body(text: &str, ids: &mut Ids) -> Option<Box<RawValue>> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    let mut recorded = String::with_capacity(text.len());
    let mut key = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let end = start + 2 + end_of_string(&rest[start + 1..]);
        let (literal, after) = (&rest[start + 1..end - 1], &rest[end..]);
        recorded.push_str(&number(&key, &rest[..start]));
        let claims = (key == "access_token").then(|| claims(literal, ids));
        if let Some(Some(claims)) = claims {
            recorded.push_str(&claims);
        } else if after.starts_with(':') {
            literal.clone_into(&mut key);
            recorded.extend(["\"", literal, "\""]);
        } else {
            recorded.extend(["\"", &string(&key, literal, ids), "\""]);
        }
        rest = after;
    }
    recorded.push_str(&number(&key, rest));
    RawValue::from_string(recorded).ok()
}

/// What a token says.
fn claims(token: &str, ids: &mut Ids) -> Option<String> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims = body(std::str::from_utf8(&claims).ok()?, ids)?;
    Some(claims.get().to_owned())
}

/// A header as it is recorded.
pub(super) fn header(name: &str, value: &str, ids: &mut Ids) -> String {
    match name {
        "location" => with_parameters(value, "&", &CREDENTIALS),
        "sb-auth-refresh-token-prefix" => "<prefix>".to_owned(),
        "retry-after" => "<seconds>".to_owned(),
        _ => ids.replaced(value),
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
        ("expires_at" | "exp" | "iat" | "timestamp", Some(length)) if length > 0 => {
            format!(":0{}", &text[length + 1..])
        }
        _ => text.to_owned(),
    }
}

fn string(key: &str, literal: &str, ids: &mut Ids) -> String {
    match key {
        _ if literal.is_empty() => String::new(),
        "refresh_token" => "<token>".to_owned(),
        // Which answers have one differs from upstream, and so would the names of other ids.
        "error_id" => "<error id>".to_owned(),
        "hashed_token" => "<hash>".to_owned(),
        "email_otp" => "<code>".to_owned(),
        "secret" => "<secret>".to_owned(),
        "version" => "<version>".to_owned(),
        "qr_code" => "<picture>".to_owned(),
        "uri" => with_parameters(literal, "\\u0026", &["secret"]),
        "action_link" => with_parameters(literal, "\\u0026", &["token"]),
        _ if is_time(literal) => time(literal).to_owned(),
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

/// How a moment is written. Digits beyond microseconds do not count: the database has none, so only
/// some of upstream's answers do.
fn time(text: &str) -> &'static str {
    match (text.ends_with('Z'), text.contains('.')) {
        (true, true) => "<time>",
        (true, false) => "<time without fraction>",
        (false, _) => "<time with offset>",
    }
}

/// The ids of a scenario, each with the number of the step that said it first and its place there.
#[derive(Default)]
pub(super) struct Ids {
    known: Vec<(String, String)>,
    step: usize,
    new: usize,
}

impl Ids {
    /// Begins the next step.
    pub(super) fn step(&mut self) {
        self.step += 1;
        self.new = 0;
    }

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
        if let Some((_, name)) = self.known.iter().find(|(known, _)| known == id) {
            return name.clone();
        }
        self.new += 1;
        let name = format!("<id {}.{}>", self.step, self.new);
        self.known.push((id.to_owned(), name.clone()));
        name
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
    const ID: &str = "2b1e9d5c-0a0f-4a8e-9f50-0d7a7e7a7c11";
    let claims = format!(r#"{{"sub":"{ID}","exp":1769853600,"amr":[{{"timestamp":17}}]}}"#);
    let token = format!("a.{}.c", URL_SAFE_NO_PAD.encode(claims));
    let answer = format!(
        r#"{{"id":"{ID}","at":"2026-01-31T10:00:00.1Z","to":"2026-01-31T10:00:00Z",
        "access_token":"{token}","expires_at":1769853600,"n":1.50,"error_id":"{ID}",
        "nil":"00000000-0000-0000-0000-000000000000","\u0026":"<\\\"","b":[true,null]}}"#
    );
    let recorded = r#"{"id":"<id 1.1>","at":"<time>","to":"<time without fraction>",
        "access_token":{"sub":"<id 1.1>","exp":0,"amr":[{"timestamp":0}]},"expires_at":0,"n":1.50,"error_id":"<error id>",
        "nil":"00000000-0000-0000-0000-000000000000","\u0026":"<\\\"","b":[true,null]}"#;
    let mut ids = Ids::default();
    ids.step();
    assert_eq!(body(&answer, &mut ids).unwrap().get(), recorded);
    ids.step();
    let other = "9b1e9d5c-0a0f-4a8e-9f50-0d7a7e7a7c12";
    let said = header("sb-auth-user-id", &format!("{other} {ID}"), &mut ids);
    assert_eq!(said, "<id 2.1> <id 1.1>");
    assert!(body("404 page not found\n", &mut ids).is_none());
    assert_eq!(
        header(
            "location",
            "app://x#access_token=a.b&expires_at=1&type=signup",
            &mut ids
        ),
        "app://x#access_token=<access_token>&expires_at=<expires_at>&type=signup"
    );
}
