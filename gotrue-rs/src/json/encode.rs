//! Writing JSON byte for byte as Go's encoder does.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_json::ser::{CharEscape, Formatter};

/// The value as a JSON text.
///
/// Everything this service answers with is made of strings, numbers, lists and maps with
/// string keys, so writing it to memory cannot fail.
pub(crate) fn to_string(value: &(impl Serialize + ?Sized)) -> String {
    let mut bytes = Vec::with_capacity(512);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, GoFormatter);
    if let Err(error) = value.serialize(&mut serializer) {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "An answer is not JSON"
        );
    }
    String::from_utf8(bytes).unwrap_or_default()
}

struct GoFormatter;

impl Formatter for GoFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut tail = rest[at..].chars();
            if let Some(symbol) = tail.next() {
                write!(writer, "\\u{:04x}", u32::from(symbol))?;
            }
            rest = tail.as_str();
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let text: &[u8] = match escape {
            CharEscape::Quote => b"\\\"",
            CharEscape::ReverseSolidus => b"\\\\",
            CharEscape::Solidus => b"\\/",
            CharEscape::Backspace => b"\\b",
            CharEscape::FormFeed => b"\\f",
            CharEscape::LineFeed => b"\\n",
            CharEscape::CarriageReturn => b"\\r",
            CharEscape::Tab => b"\\t",
            CharEscape::AsciiControl(byte) => return write!(writer, "\\u{byte:04x}"),
        };
        writer.write_all(text)
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(float(value).as_bytes())
    }
}

/// The shortest text that reads back as the same double, in Go's notation.
fn float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent:0>2}")
            }
            _ => text,
        };
    }
    format!("{value}")
}

/// A JSON value with sorted keys and every number a double.
pub(super) struct Ordered<'a>(pub(super) &'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => match number.as_f64() {
                Some(value) => serializer.serialize_f64(value),
                None => number.serialize(serializer),
            },
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Ordered(item))?;
                }
                list.end()
            }
            Value::Object(map) => ordered_map(map, serializer),
            plain => plain.serialize(serializer),
        }
    }
}

/// A map with its keys in order.
pub(super) fn ordered_map<S: Serializer>(
    map: &serde_json::Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut pairs: Vec<_> = map.iter().collect();
    pairs.sort_unstable_by_key(|(key, _)| *key);
    let mut sorted = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        sorted.serialize_entry(key, &Ordered(value))?;
    }
    sorted.end()
}

#[cfg(test)]
mod tests {
    use super::{Ordered, float, to_string};
    use serde_json::json;

    #[test]
    fn floats_read_as_go_writes_them() {
        for (value, text) in [
            (1.0, "1"),
            (-0.5, "-0.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (12_345_678_901_234_567_890.0, "12345678901234567000"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn html_is_escaped_and_keys_are_sorted() {
        let value = json!({"b": "<a href='x'>&\u{2028}", "a": 1, "A": {"z": null, "y": [true]}});
        assert_eq!(
            to_string(&Ordered(&value)),
            r#"{"A":{"y":[true],"z":null},"a":1,"b":"\u003ca href='x'\u003e\u0026\u2028"}"#
        );
    }
}
