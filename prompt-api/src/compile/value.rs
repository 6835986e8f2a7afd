//! Variable values: JSON that keeps the order of its members, and its text form.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::number;

/// One value, anything with a JSON form.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value, which is written as nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Every number is a double, as it is to half of the clients that send one.
    Number(f64),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Values with names, in the order they were given in.
    Object(Vec<(String, Value)>),
}

/// Values by variable name, in the order in which ECMAScript lists an object's properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables(Vec<(String, Value)>);

impl Variables {
    /// Values in any order.
    pub fn new(members: Vec<(String, Value)>) -> Self {
        Self(in_property_order(members))
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Names alone.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a member out, if there is one of this name.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(member, _)| member == name)?;
        Some(self.0.remove(at).1)
    }
}

impl Value {
    /// Text as it is, numbers and booleans in their JSON form, nothing for null, compact JSON for
    /// lists and objects. `None` when a number is not finite.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Null => Some(String::new()),
            Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Object(_) => {
                let mut output = String::new();
                self.push_json(&mut output).then_some(output)
            }
        }
    }

    fn push_json(&self, output: &mut String) -> bool {
        match self {
            Self::Null => output.push_str("null"),
            Self::Bool(true) => output.push_str("true"),
            Self::Bool(false) => output.push_str("false"),
            Self::Number(number) if !number.is_finite() => return false,
            Self::Number(number) => number::push(output, *number),
            Self::Text(text) => push_quoted(output, text),
            Self::List(items) => return push_list(output, items),
            Self::Object(members) => return push_object(output, members),
        }
        true
    }
}

fn push_list(output: &mut String, items: &[Value]) -> bool {
    output.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            output.push(',');
        }
        if !item.push_json(output) {
            return false;
        }
    }
    output.push(']');
    true
}

fn push_object(output: &mut String, members: &[(String, Value)]) -> bool {
    output.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            output.push(',');
        }
        push_quoted(output, name);
        output.push(':');
        if !value.push_json(output) {
            return false;
        }
    }
    output.push('}');
    true
}

/// A JSON string: only quotes, backslashes and controls are escaped.
fn push_quoted(output: &mut String, text: &str) {
    output.push('"');
    for character in text.chars() {
        match character {
            '"' => output.push_str("\\\""),
            '\\' => output.push_str("\\\\"),
            '\u{8}' => output.push_str("\\b"),
            '\u{c}' => output.push_str("\\f"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            '\t' => output.push_str("\\t"),
            '\0'..='\u{1f}' => {
                output.push_str("\\u00");
                output.extend(char::from_digit(u32::from(character) >> 4, 16));
                output.extend(char::from_digit(u32::from(character) & 0xf, 16));
            }
            _ => output.push(character),
        }
    }
    output.push('"');
}

/// Of two members of one name the later value counts, in the place of the first. Names that are
/// array indexes come first, ascending, as in every JavaScript object.
fn in_property_order(members: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut places: HashMap<String, usize> = HashMap::with_capacity(members.len());
    let mut kept: Vec<(String, Value)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        if let Some(place) = places.get(&name) {
            kept[*place].1 = value;
        } else {
            places.insert(name.clone(), kept.len());
            kept.push((name, value));
        }
    }
    kept.sort_by_key(|(name, _)| array_index(name).map_or((true, 0), |index| (false, index)));
    kept
}

/// The index a canonical decimal name stands for, `2^32 - 2` at most.
fn array_index(name: &str) -> Option<u32> {
    let canonical = name == "0" || !name.starts_with('0');
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if !(canonical && digits) {
        return None;
    }
    name.parse().ok().filter(|index| *index != u32::MAX)
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(VariablesVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers are doubles by definition"
    )]
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers are doubles by definition"
    )]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        Ok(Value::Object(in_property_order(read_members(members)?)))
    }
}

struct VariablesVisitor;

impl<'de> Visitor<'de> for VariablesVisitor {
    type Value = Variables;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of values by variable name")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Variables, A::Error> {
        Ok(Variables::new(read_members(members)?))
    }
}

fn read_members<'de, A: MapAccess<'de>>(mut map: A) -> Result<Vec<(String, Value)>, A::Error> {
    let mut members = Vec::new();
    while let Some(member) = map.next_entry()? {
        members.push(member);
    }
    Ok(members)
}
