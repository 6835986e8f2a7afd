//! Putting parsed values into typed fields, with the decoder's complaints about types.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Document, Node};

/// Where in a body a value goes: the Go struct it belongs to and the path to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    strukt: &'a str,
    path: &'a str,
}

impl<'a> At<'a> {
    /// A field of a struct.
    pub(crate) fn field(strukt: &'a str, path: &'a str) -> Self {
        Self { strukt, path }
    }

    /// What the decoder says about a value of the wrong kind.
    pub(crate) fn mismatch(&self, found: &str, wanted: &str) -> TypeError {
        if self.path.is_empty() {
            return TypeError(format!(
                "json: cannot unmarshal {found} into Go value of type {wanted}"
            ));
        }
        TypeError(format!(
            "json: cannot unmarshal {found} into Go struct field {}.{} of type {wanted}",
            self.strukt, self.path
        ))
    }
}

/// A value of the wrong kind.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TypeError(pub(crate) String);

/// Puts a value into the field `wire` of the struct `strukt`, which itself is at `outer`.
pub(crate) fn decode_field(
    field: &mut impl Field,
    node: &Node,
    (strukt, wire): (&str, &str),
    outer: At<'_>,
) -> Result<(), TypeError> {
    if outer.path.is_empty() {
        return field.decode(node, At::field(strukt, wire));
    }
    let path = format!("{}.{wire}", outer.path);
    field.decode(node, At::field(strukt, &path))
}

/// Something a value can be put into.
pub(crate) trait Field {
    /// Stores the value; `null` changes nothing unless the type has a "none".
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError>;
}

/// A request body.
pub(crate) trait Body: Field + Default {
    /// Stores a whole document.
    fn decode_root(&mut self, node: &Node) -> Result<(), TypeError> {
        self.decode(node, At::field("", ""))
    }
}

impl Field for String {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        match node {
            Node::Null => {}
            Node::String(text) => self.clone_from(text),
            other => return Err(at.mismatch(other.kind(), "string")),
        }
        Ok(())
    }
}

impl Field for Uuid {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        match node {
            Node::Null => Ok(()),
            Node::String(text) => {
                *self = Uuid::parse_str(text).map_err(|_| uuid_error(text))?;
                Ok(())
            }
            other => Err(at.mismatch(other.kind(), "uuid.UUID")),
        }
    }
}

/// What the UUID library says about a text that is none.
fn uuid_error(text: &str) -> TypeError {
    TypeError(match text.len() {
        32 | 34 | 36 | 38 | 41 | 45 => format!("uuid: incorrect UUID format in string {text:?}"),
        length => format!("uuid: incorrect UUID length {length} in string {text:?}"),
    })
}

impl Field for bool {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        match node {
            Node::Null => {}
            Node::Bool(value) => *self = *value,
            other => return Err(at.mismatch(other.kind(), "bool")),
        }
        Ok(())
    }
}

impl<T: Field + Default> Field for Option<T> {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        if matches!(node, Node::Null) {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_default().decode(node, at)
    }
}

impl<T: Field + Default> Field for Vec<T> {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        self.clear();
        match node {
            Node::Null => Ok(()),
            Node::Array(items) => items.iter().try_for_each(|item| {
                let mut value = T::default();
                value.decode(item, at)?;
                self.push(value);
                Ok(())
            }),
            other => Err(at.mismatch(other.kind(), "[]string")),
        }
    }
}

impl Field for Document {
    /// Two documents under the same key are merged, as Go reuses the map.
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        match node {
            Node::Null => self.clear(),
            Node::Object(pairs) => {
                for (key, item) in pairs {
                    self.insert(key.clone(), any(item, at)?);
                }
            }
            other => return Err(at.mismatch(other.kind(), "map[string]interface {}")),
        }
        Ok(())
    }
}

impl Field for Value {
    fn decode(&mut self, node: &Node, at: At<'_>) -> Result<(), TypeError> {
        *self = any(node, at)?;
        Ok(())
    }
}

/// A value of unknown shape; numbers become doubles.
fn any(node: &Node, at: At<'_>) -> Result<Value, TypeError> {
    Ok(match node {
        Node::Null => Value::Null,
        Node::Bool(value) => Value::Bool(*value),
        Node::String(text) => Value::String(text.clone()),
        Node::Number(text) => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| at.mismatch(&format!("number {text}"), "float64"))?,
        Node::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| any(item, at))
                .collect::<Result<_, _>>()?,
        ),
        Node::Object(pairs) => {
            let mut map = Map::new();
            for (key, item) in pairs {
                map.insert(key.clone(), any(item, at)?);
            }
            Value::Object(map)
        }
    })
}

/// Whether a key of the document means this field: equal but for case.
pub(crate) fn same_key(key: &str, field: &str) -> bool {
    key == field || key.eq_ignore_ascii_case(field) || {
        // The two letters outside ASCII that fold into it.
        let folded = key.replace('\u{17f}', "s").replace('\u{212a}', "k");
        folded.eq_ignore_ascii_case(field)
    }
}
