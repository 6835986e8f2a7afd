//! Reading bodies with Go's rules, as far as a client can tell them from others.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, IgnoredAny, IntoDeserializer as _, Visitor};
use serde_json::value::RawValue;

/// Why a body cannot be read, in words for the client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(pub(crate) Cow<'static, str>);

/// Reads a text that holds one object.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    fields_of(bytes, true)
}

/// Reads the object a text begins with and ignores what follows it.
pub(crate) fn read_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    fields_of(bytes, false)
}

fn fields_of<T: DeserializeOwned>(bytes: &[u8], whole: bool) -> Result<T, Unreadable> {
    let text = String::from_utf8_lossy(bytes);
    if is_too_deep(&text) {
        return Err(Unreadable("it is nested too deep".into()));
    }
    let text = without_lone_surrogates(&text);
    T::deserialize(Body { text: &text, whole })
}

/// How deep a body is nested at most, the object that it is included.
///
/// Documents come back from the database and in tokens, a few levels further down, through a reader
/// that stops at 128: what is let in must be readable there.
///
/// Upstream: Go allows 10,000 levels; nothing a client sends needs more than a few.
const LEVELS: usize = 100;

fn is_too_deep(text: &str) -> bool {
    // Most bodies do not have so many brackets, which is quicker to see.
    let brackets = text.bytes().filter(|byte| matches!(byte, b'[' | b'{'));
    if brackets.count() <= LEVELS {
        return false;
    }
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > LEVELS
    })
}

/// Browsers write half of a surrogate pair, as a text that was cut off ends in, as an escape of
/// its own; as in Go it becomes the replacement character.
fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let length = match (unit(text, at), unit(text, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str(&text[kept..at]);
                mended.push_str("\\ufffd");
                kept = at + 6;
                6
            }
            _ => 2,
        };
        at = text.ceil_char_boundary(at + length);
    }
    if kept == 0 {
        return text.into();
    }
    mended.push_str(&text[kept..]);
    mended.into()
}

/// The UTF-16 unit whose escape is here.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// A text as something a struct can be made of.
struct Body<'t> {
    text: &'t str,
    /// Whether nothing may follow the object.
    whole: bool,
}

impl<'t> Deserializer<'t> for Body<'t> {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'t>>(self, _: V) -> Result<V::Value, Unreadable> {
        Err(Unreadable("it is no object".into()))
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        let mut reader = serde_json::Deserializer::from_str(self.text);
        let given = reader.deserialize_any(Members(fields));
        let ended = if self.whole { reader.end() } else { Ok(()) };
        let given = given.and_then(|given| ended.map(|()| given));
        let given = given.map_err(|error| explain(&error))?;
        visitor.visit_map(Given {
            fields: fields.iter().copied().zip(given),
            next: None,
        })
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn explain(error: &serde_json::Error) -> Unreadable {
    use serde_json::error::Category;
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Eof => Unreadable("it ends early".into()),
        Category::Data => Unreadable("it is no object".into()),
        Category::Syntax | Category::Io => {
            Unreadable(format!("line {line}, column {column} is not JSON").into())
        }
    }
}

/// Finds the values of fields, which are all looked at only then: names match whatever their case,
/// the last of two counts, and `null` is nothing.
struct Members(&'static [&'static str]);

impl<'de> Visitor<'de> for Members {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(vec![None; self.0.len()])
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut given = vec![None; self.0.len()];
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            match self.0.iter().position(|field| is_same(&key, field)) {
                Some(at) => {
                    let value = map.next_value::<&RawValue>()?;
                    given[at] = Some(value).filter(|value| value.get() != "null");
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(given)
    }
}

/// Whether a key means this field: equal but for case.
fn is_same(key: &str, field: &str) -> bool {
    if key.is_ascii() {
        return key.eq_ignore_ascii_case(field);
    }
    // The two letters outside ASCII that fold into it.
    let folded = key.replace('\u{17f}', "s").replace('\u{212a}', "k");
    folded.eq_ignore_ascii_case(field)
}

/// Hands values to the fields they were given for.
struct Given<'de, I: Iterator<Item = (&'static str, Option<&'de RawValue>)>> {
    fields: I,
    next: Option<(&'static str, &'de RawValue)>,
}

impl<'de, I> de::MapAccess<'de> for Given<'de, I>
where
    I: Iterator<Item = (&'static str, Option<&'de RawValue>)>,
{
    type Error = Unreadable;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Unreadable> {
        self.next = self.fields.find_map(|(field, value)| Some((field, value?)));
        let key = self.next.map(|(field, _)| field.into_deserializer());
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Unreadable> {
        let (field, value) = self.next.ok_or_else(|| de::Error::custom("no value"))?;
        let misfit = |_| Unreadable(format!("the value of `{field}` is of the wrong kind").into());
        seed.deserialize(value).map_err(misfit)
    }
}

impl de::Error for Unreadable {
    /// What the library would say is not for clients.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self("it has another shape".into())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;
    use uuid::Uuid;

    use super::{read, read_first};
    use crate::json::{Document, to_string};

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Sample {
        email: String,
        password: Option<String>,
        create_user: Option<bool>,
        data: Option<Document>,
        #[serde(rename = "type")]
        kind: String,
        id: Uuid,
    }

    fn sample(text: &str) -> Sample {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn keys_match_in_any_case_and_the_last_one_counts() {
        let body = sample(r#"{"Email":"a","EMAIL":"b","x":[1],"\u0074ype":"t","ema\u0131l":"no"}"#);
        assert_eq!((body.email.as_str(), body.kind.as_str()), ("b", "t"));
        assert_eq!(
            sample(r#"{"pa\u017f\u017fword":"p"}"#).password.unwrap(),
            "p"
        );
    }

    #[test]
    fn null_is_nothing() {
        let body =
            sample(r#"{"email":null,"password":null,"create_user": null ,"data":null,"id":null}"#);
        assert_eq!((body.email.as_str(), body.password), ("", None));
        assert!(body.create_user.is_none() && body.data.is_none() && body.id.is_nil());
        assert_eq!(sample(" null ").email, "");
    }

    #[test]
    fn what_is_not_one_object_of_such_values_is_refused() {
        for (text, reason) in [
            ("", "it ends early"),
            (" {", "it ends early"),
            ("x", "line 1, column 1 is not JSON"),
            ("{a:1}", "line 1, column 2 is not JSON"),
            ("{} x", "line 1, column 4 is not JSON"),
            (r#"{"x":01}"#, "line 1, column 7 is not JSON"),
            (r#"{"x":"\x"}"#, "line 1, column 8 is not JSON"),
            ("{\"x\":\"\n\"}", "line 1, column 6 is not JSON"),
            ("[]", "it is no object"),
            (r#"["a@example.com"]"#, "it is no object"),
            ("\"a\"", "it is no object"),
            (
                r#"{"email":1}"#,
                "the value of `email` is of the wrong kind",
            ),
            (r#"{"Type":{}}"#, "the value of `type` is of the wrong kind"),
            (
                r#"{"create_user":"true"}"#,
                "the value of `create_user` is of the wrong kind",
            ),
            (r#"{"data":[]}"#, "the value of `data` is of the wrong kind"),
            (
                r#"{"data":{"n":1e999}}"#,
                "the value of `data` is of the wrong kind",
            ),
            (r#"{"id":""}"#, "the value of `id` is of the wrong kind"),
        ] {
            let error = read::<Sample>(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), reason, "{text}");
        }
    }

    #[test]
    fn only_a_stream_ignores_what_follows() {
        assert_eq!(
            read_first::<Sample>(br#" {"email":"a"} x"#).unwrap().email,
            "a"
        );
        assert!(read_first::<Sample>(b" ").is_err());
        assert!(read_first::<Sample>(b"{").is_err());
    }

    #[test]
    fn what_is_no_character_becomes_the_replacement_character() {
        for (text, read) in [
            (r"\ud83d", "\u{fffd}"),
            (r"\uDE00\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\\ud83d\\\ud83d", "\\ud83d\\\u{fffd}"),
            (r"é\u00e9", "éé"),
        ] {
            assert_eq!(
                sample(&format!(r#"{{"email":"{text}"}}"#)).email,
                read,
                "{text}"
            );
        }
        let body: Sample = super::read(b"{\"email\":\"a\xffb\"}").unwrap();
        assert_eq!(body.email, "a\u{fffd}b");
        for text in [r#"{"email":"\ud83"}"#, r#"{"email":"\u+d83"}"#, "\\é", "\\"] {
            assert!(super::read::<Sample>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn documents_keep_their_numbers() {
        let body = sample(r#"{"data":{"b":0.9073038322028689,"a":12345678901234567890}}"#);
        assert_eq!(
            to_string(&body.data),
            r#"{"a":12345678901234567000,"b":0.9073038322028689}"#
        );
        assert_eq!(json!(sample("{}").data), json!(null));
    }

    #[test]
    fn bodies_are_not_nested_without_end_wherever_it_is() {
        let nested = |field: &str, levels: usize| {
            let (open, close) = ("[".repeat(levels - 2), "]".repeat(levels - 2));
            let text = format!(r#"{{"email":"\"[{{","{field}":{{"x":{open}{close}}}}}"#);
            read::<Sample>(text.as_bytes()).map_err(|error| error.to_string())
        };
        for field in ["data", "other"] {
            assert!(nested(field, 100).is_ok(), "{field}");
            for levels in [101, 128, 10_001, 30_000] {
                assert_eq!(nested(field, levels).unwrap_err(), "it is nested too deep");
            }
        }
        let beside = format!(r#"{{"x":[{}]}}"#, ["[]"; 1000].join(","));
        assert!(read::<Sample>(beside.as_bytes()).is_ok());
    }
}
