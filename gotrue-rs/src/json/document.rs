//! A JSON object that users fill: metadata, identity data, audit payloads.

use std::error::Error as StdError;
use std::ops::{Deref, DerefMut};

use bytes::{BufMut, BytesMut};
use platform::json;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::encode::{ordered_map, to_string};

/// A JSON object; it is written with sorted keys, to clients and to the database alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Document(Map<String, Value>);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::Object::deserialize(deserializer).map(|object| Self(object.0))
    }
}

impl Document {
    /// Lays changes over this document: `null` removes a key, anything else replaces it.
    pub(crate) fn merge(&mut self, changes: &Document) {
        for (key, value) in &changes.0 {
            if value.is_null() {
                self.0.remove(key);
            } else {
                self.0.insert(key.clone(), value.clone());
            }
        }
    }

    /// The text under a key; anything else counts as absent.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    /// Sets a key and hands the document on.
    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }
}

impl Deref for Document {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Document {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Map<String, Value>> for Document {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

impl From<Document> for Value {
    fn from(document: Document) -> Self {
        Self::Object(document.0)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ordered_map(&self.0, serializer)
    }
}

impl ToSql for Document {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        if *kind == Type::JSONB {
            out.put_u8(1);
        }
        out.put_slice(to_string(self).as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::JSON | Type::JSONB)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Document {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        let text = if *kind == Type::JSONB {
            raw.get(1..).unwrap_or_default()
        } else {
            raw
        };
        // A user row edited by hand may hold something else than an object.
        Ok(match serde_json::from_slice(text)? {
            json::Any(Value::Object(map)) => Self(map),
            json::Any(_) => Self::default(),
        })
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::JSON | Type::JSONB)
    }
}
