//! Every result in `tests/go.json` was given by Go's `html/template`; `null` is an error there.

use platform_test::properties::{made_of, many, properties};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{Template, Value};

/// What works upstream and is refused here, with the reason.
const REFUSED: &[(&str, &str)] = &[
    (r#"{{ define "x" }}y{{ end }}"#, "not supported"),
    (r#"{{ block "x" . }}y{{ end }}"#, "not supported"),
    (r#"{{ printf "%.2f" 1.5 }}"#, "not supported"),
    ("{{ slice .Token 1 3 }}", "not defined"),
    ("{{ js .Evil }}", "not defined"),
];

fn render(source: &str, data: &Value) -> Result<String, String> {
    Template::parse(source)
        .and_then(|template| template.render(data))
        .map_err(|error| error.to_string())
}

#[test]
fn templates_render_as_in_go() {
    let table: Json = serde_json::from_str(include_str!("tests/go.json")).unwrap();
    let data = Value::from(&table["data"]);
    let mut wrong = Vec::new();
    for row in table["templates"].as_array().unwrap() {
        let source = row[0].as_str().unwrap();
        let ours = render(source, &data);
        if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == source) {
            assert!(ours.unwrap_err().contains(reason), "{source}");
            continue;
        }
        if ours.as_deref().ok() != row[1].as_str() {
            wrong.push(format!("{source}\n  Go   {}\n  ours {ours:?}", row[1]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_name_the_line() {
    let error = Template::parse("a\n\n{{ nothing }}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: function \"nothing\" not defined"
    );
    let error = Template::parse("a\n<script>\n{{ .Token }}</script>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: values inside scripts and srcset are not supported"
    );
    let error = Template::parse("{{ if .A }}\n").unwrap_err();
    assert_eq!(error.to_string(), "line 1: unclosed {{if}}");
}

const TEMPLATE: &[&str] = &[
    "{{",
    "}}",
    "{{-",
    "-}}",
    "{{ .Email }}",
    "{{ if ",
    "{{ else }}",
    "{{ end }}",
    "{{ range ",
    "range ",
    "with ",
    "end",
    "print",
    "-",
    "1",
    "/*",
    "<p>",
    "<textarea>",
    "<title>",
    "{{/*",
    "*/}}",
    ".Data",
    ".",
    "|",
    "html",
    "(",
    ")",
    "\"",
    "`",
    "$x",
    ":=",
    "<a href=\"",
    "<p",
    ">",
    "<!--",
    "-->",
    "<style>",
    "</style>",
    "<script>",
    "style='",
    "'",
    "=",
    " ",
];

proptest! {
    #![proptest_config(many(100))]

    #[test]
    fn no_template_is_too_odd(source in made_of(TEMPLATE)) {
        let data = Value::from(&json!({ "Email": "</style>", "Data": { "list": [1, "a"] } }));
        let _ = render(&source, &data);
    }
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn no_value_leaves_its_place(email: String) {
        let data = Value::from(&json!({ "Email": email }));
        let shown = render("<p title='{{ .Email }}'>{{ .Email }}</p>", &data).unwrap();
        let inner = shown.strip_prefix("<p title='").and_then(|rest| rest.strip_suffix("</p>"));
        let (title, text) = inner.and_then(|inner| inner.split_once("'>")).unwrap();
        prop_assert!(!title.contains('\'') && !text.contains(['<', '>', '\'', '"']));
        let link = render("<a href=\"{{ .Email }}\">x</a>", &data).unwrap();
        let target = link.strip_prefix("<a href=\"").and_then(|rest| rest.strip_suffix("\">x</a>"));
        let target = target.unwrap().to_lowercase();
        prop_assert!(!target.contains(['"', '<', '>']) && !target.starts_with("javascript:"));
    }
}
