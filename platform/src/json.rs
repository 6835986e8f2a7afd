//! JSON of strangers, read as it is written.
//!
//! [`Value`] does not: with `serde_json`'s feature `raw_value`, the first key of an object may be a word
//! of the library's own that has the text under it parsed once more, as deep as it likes.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Any value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Any(pub Value);

/// An object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Object(pub Map<String, Value>);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(deserializer.deserialize_any(Tree)?))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(deserializer.deserialize_map(Members)?))
    }
}

struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element_seed(Tree)? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        Members.visit_map(members).map(Value::Object)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key()? {
            map.insert(name, members.next_value_seed(Tree)?);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OWN_WORD: &str = r#"{"$serde_json::private::RawValue": "[1]"}"#;

    #[test]
    fn a_word_of_the_librarys_own_is_a_key_like_any_other() {
        let read: Any = serde_json::from_str(OWN_WORD).unwrap();
        assert_eq!(read.0["$serde_json::private::RawValue"], "[1]");
        let read: Object = serde_json::from_str(&format!(r#"{{"in": {OWN_WORD}}}"#)).unwrap();
        assert_eq!(read.0["in"]["$serde_json::private::RawValue"], "[1]");
    }

    #[test]
    fn everything_else_is_read_as_the_library_reads_it() {
        let text = r#"[null, true, -1, 18446744073709551615, 0.5, 1e300, "\u00e9", [], {"b": 1, "a": {}}]"#;
        let read: Any = serde_json::from_str(text).unwrap();
        assert_eq!(read.0, serde_json::from_str::<Value>(text).unwrap());
        assert_ne!(read.0, json!([]));
    }

    #[test]
    fn no_other_value_is_an_object() {
        for text in ["null", "[]", "1", "\"{}\""] {
            assert!(serde_json::from_str::<Object>(text).is_err(), "{text}");
        }
    }
}
