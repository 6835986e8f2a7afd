//! The values a template works on and the rules Go's templates apply to them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A template value. JSON numbers are floats, as Go decodes them; integers come from literals
/// and from `len`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Nil,
            serde_json::Value::Bool(flag) => Self::Bool(*flag),
            serde_json::Value::Number(number) => {
                Self::Float(number.as_f64().unwrap_or(f64::INFINITY))
            }
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(map) => Self::from(map),
        }
    }
}

impl From<&serde_json::Map<String, serde_json::Value>> for Value {
    fn from(map: &serde_json::Map<String, serde_json::Value>) -> Self {
        Self::Map(
            map.iter()
                .map(|(key, value)| (key.clone(), Self::from(value)))
                .collect(),
        )
    }
}

impl Value {
    /// Whether `{{ if }}` takes the value for true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(flag) => *flag,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(map) => !map.is_empty(),
        }
    }

    /// `.name` of this value. What a map does not hold is nil; other values have no fields.
    pub(super) fn field(&self, name: &str) -> Result<Value, String> {
        match self {
            Self::Nil => Ok(Self::Nil),
            Self::Map(map) => Ok(map.get(name).cloned().unwrap_or(Self::Nil)),
            other => Err(format!(
                "can't evaluate field {name} in type {}",
                other.type_name()
            )),
        }
    }

    /// The kind, as error texts name it.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// `eq`: values of different kinds cannot be compared, except with nil.
    pub(super) fn equals(&self, other: &Value) -> Result<bool, String> {
        match (self, other) {
            (Self::Nil, Self::Nil) => Ok(true),
            (Self::Nil, _) | (_, Self::Nil) => Ok(false),
            (Self::List(_) | Self::Map(_), _) | (_, Self::List(_) | Self::Map(_)) => {
                Err("non-comparable type".to_owned())
            }
            (left, right) if left.type_name() == right.type_name() => Ok(left == right),
            _ => Err("incompatible types for comparison".to_owned()),
        }
    }

    /// `lt` and its relatives: only numbers and strings have an order.
    pub(super) fn compare(&self, other: &Value) -> Result<Ordering, String> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Ok(left.cmp(right)),
            (Self::Float(left), Self::Float(right)) => {
                Ok(left.partial_cmp(right).unwrap_or(Ordering::Greater))
            }
            (Self::Text(left), Self::Text(right)) => Ok(left.cmp(right)),
            (Self::Int(_) | Self::Float(_) | Self::Text(_), _) => {
                Err("incompatible types for comparison".to_owned())
            }
            _ => Err("invalid type for comparison".to_owned()),
        }
    }
}

/// A number literal as Go reads it: an integer where possible, else a float.
pub(super) fn parse_number(text: &str) -> Option<Value> {
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let integer = if let Some(hex) = lower.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()
    } else if let Some(octal) = lower.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()
    } else if lower.len() > 1 && lower.starts_with('0') && lower.chars().all(|c| c.is_digit(8)) {
        i64::from_str_radix(&lower, 8).ok()
    } else {
        digits.parse().ok()
    };
    if let Some(integer) = integer {
        return Some(Value::Int(sign * integer));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    plain
        .parse()
        .ok()
        .filter(|float: &f64| float.is_finite())
        .map(Value::Float)
}
