//! What holds for every body.

use platform_test::properties::{made_of, properties};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Document, read, read_first};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    email: String,
    data: Option<Document>,
}

/// Documents of any shape, a few levels deep.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A text with every character written as an escape, halves of pairs and all.
fn escaped(text: &str) -> String {
    let escape = |unit| format!("\\u{unit:04x}");
    let escapes: Vec<_> = text.encode_utf16().map(escape).collect();
    escapes.concat()
}

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"email\"",
    "\"data\"",
    "\"$serde_json::private::RawValue\"",
    "\\",
    "\\ud83d",
    "\\ude00",
    "null",
    "1e",
    "-0.",
    "true",
    " ",
    "\n",
];

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn no_text_breaks_the_reader_of_bodies(text in made_of(JSON), bytes: Vec<u8>) {
        let _ = read::<Body>(text.as_bytes());
        let _ = read_first::<Body>(&bytes);
    }

    #[test]
    fn a_body_is_read_as_it_was_written(email: String, data in document(), other in document()) {
        let (mut object, mut inner) = (Map::new(), Map::new());
        inner.insert("x".to_owned(), data);
        object.insert("data".to_owned(), Value::Object(inner.clone()));
        object.insert("Elsewhere".to_owned(), other);
        object.insert("email".to_owned(), json!(email));
        let body: Body = read(Value::Object(object).to_string().as_bytes()).unwrap();
        prop_assert_eq!(&body.email, &email);
        prop_assert_eq!(json!(body.data), json!(Document::from(inner)));
        let spelt = format!(r#"{{"eMail": "{}"}}"#, escaped(&email));
        prop_assert_eq!(read::<Body>(spelt.as_bytes()).unwrap().email, email);
    }
}
