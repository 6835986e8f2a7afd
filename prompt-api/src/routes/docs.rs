//! `/docs`: the guide and the API reference as one page without scripts, written from the `OpenAPI`
//! document once.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ContentType};
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, get};
use serde_json::{Map, Value};

use super::no_route;
use super::openapi::DOCUMENT;

const GUIDE: &str = include_str!("../../assets/guide.html");
const STYLE: &str = include_str!("../../assets/reference.css");
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

static PAGE: LazyLock<String> = LazyLock::new(|| page(&DOCUMENT));

pub(super) fn configure(mount: &mut Mount<'_>) {
    mount.resource("/docs", [get(get_page)], web::to(no_route));
    mount.resource("/docs/", [get(get_page)], web::to(no_route));
    mount.resource("/docs/reference.css", [get(get_style)], web::to(no_route));
}

async fn get_page() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(PAGE.as_str())
}

async fn get_style() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(STYLE)
}

/// One operation of the document.
struct Operation<'d> {
    method: &'d str,
    path: &'d str,
    details: &'d Value,
}

fn page(document: &Value) -> String {
    let operations = operations(document);
    let mut tags: Vec<&str> = Vec::new();
    for operation in &operations {
        if !tags.contains(&operation.tag()) {
            tags.push(operation.tag());
        }
    }
    let mut html = String::new();
    let title = text(&document["info"], "title");
    put(
        &mut html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    );
    put(
        &mut html,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    );
    put(
        &mut html,
        "<link rel=\"stylesheet\" href=\"/docs/reference.css\">\n",
    );
    put(
        &mut html,
        &format!("<title>{}</title>\n</head>\n<body>\n", escape(title)),
    );
    let about = paragraph(text(&document["info"], "description"));
    put(
        &mut html,
        &format!("<header>\n<h1>{}</h1>\n{about}</header>\n", escape(title)),
    );
    put(&mut html, &contents(&tags));
    put(&mut html, "<main>\n");
    put(&mut html, GUIDE);
    for tag in tags {
        put(
            &mut html,
            &format!(
                "<section id=\"{}\">\n<h2>{}</h2>\n",
                anchor(tag),
                escape(tag)
            ),
        );
        for operation in operations.iter().filter(|operation| operation.tag() == tag) {
            operation.write(&mut html);
        }
        put(&mut html, "</section>\n");
    }
    put(&mut html, &schemas(document));
    put(&mut html, "</main>\n</body>\n</html>\n");
    html
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, methods) in members(&document["paths"]) {
        for (method, details) in members(methods) {
            found.push(Operation {
                method,
                path,
                details,
            });
        }
    }
    found
}

fn contents(tags: &[&str]) -> String {
    let guide = [
        ("quick-start", "Quick start"),
        ("template-syntax", "Template syntax"),
    ];
    let mut items: Vec<(String, &str)> = guide
        .map(|(anchor, title)| (anchor.to_owned(), title))
        .to_vec();
    items.push(("limits".to_owned(), "Limits"));
    items.extend(tags.iter().map(|tag| (anchor(tag), *tag)));
    items.push(("schemas".to_owned(), "Schemas"));
    let mut html = String::from("<nav aria-label=\"Contents\">\n<ul>\n");
    for (anchor, title) in items {
        put(
            &mut html,
            &format!("<li><a href=\"#{anchor}\">{}</a></li>\n", escape(title)),
        );
    }
    let document =
        "<li><a href=\"/api/openapi.json\">OpenAPI 3.1 document</a></li>\n</ul>\n</nav>\n";
    put(&mut html, document);
    html
}

impl Operation<'_> {
    fn tag(&self) -> &str {
        self.details["tags"][0].as_str().unwrap_or("Other")
    }

    fn write(&self, html: &mut String) {
        let id = escape(text(self.details, "operationId"));
        let method = self.method.to_uppercase();
        let (path, about) = (escape(self.path), escape(text(self.details, "summary")));
        put(
            html,
            &format!("<details id=\"{id}\">\n<summary><span class=\"method\">{method}</span>"),
        );
        put(
            html,
            &format!("<code>{path}</code> <span class=\"about\">{about}</span></summary>\n"),
        );
        put(html, "<div>\n");
        put(html, &paragraph(text(self.details, "description")));
        if self.details.get("security").is_some() {
            put(html, "<p>Needs an access token.</p>\n");
        }
        self.write_parameters(html);
        let body = &self.details["requestBody"]["content"]["application/json"]["schema"];
        if !body.is_null() {
            put(html, &format!("<h3>Body</h3>\n<p>{}</p>\n", type_of(body)));
        }
        self.write_responses(html);
        put(html, "</div>\n</details>\n");
    }

    fn write_parameters(&self, html: &mut String) {
        let Some(parameters) = self.details["parameters"].as_array() else {
            return;
        };
        put(
            html,
            "<h3>Parameters</h3>\n<div class=\"scroll\"><table>\n<tbody>\n",
        );
        for parameter in parameters {
            let name = escape(text(parameter, "name"));
            let place = escape(text(parameter, "in"));
            let kind = type_of(&parameter["schema"]);
            let about = escape(text(parameter, "description"));
            let row = format!(
                "<tr><th scope=\"row\"><code>{name}</code></th><td>{place}</td><td>{kind}</td>\
                 <td>{about}</td></tr>\n"
            );
            put(html, &row);
        }
        put(html, "</tbody></table></div>\n");
    }

    fn write_responses(&self, html: &mut String) {
        put(
            html,
            "<h3>Answers</h3>\n<div class=\"scroll\"><table>\n<tbody>\n",
        );
        for (status, response) in members(&self.details["responses"]) {
            let content = members(&response["content"]).next();
            let kind = content
                .map(|(_, content)| type_of(&content["schema"]))
                .unwrap_or_default();
            let about = escape(text(response, "description"));
            let row = format!(
                "<tr><th scope=\"row\">{}</th><td>{kind}</td><td>{about}</td></tr>\n",
                escape(status)
            );
            put(html, &row);
        }
        put(html, "</tbody></table></div>\n");
    }
}

fn schemas(document: &Value) -> String {
    let mut html = String::from("<section id=\"schemas\">\n<h2>Schemas</h2>\n");
    for (name, schema) in members(&document["components"]["schemas"]) {
        let id = anchor(name);
        let about = paragraph(text(schema, "description"));
        put(
            &mut html,
            &format!(
                "<details id=\"schema-{id}\">\n<summary><code>{}</code>",
                escape(name)
            ),
        );
        put(
            &mut html,
            &format!("</summary>\n<div>\n{about}<div class=\"scroll\"><table>\n<tbody>\n"),
        );
        for (member, kind) in members(&schema["properties"]) {
            let row = format!(
                "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n",
                escape(member),
                type_of(kind),
                escape(text(kind, "description"))
            );
            put(&mut html, &row);
        }
        if let Some(values) = schema["enum"].as_array() {
            for value in values.iter().filter_map(Value::as_str) {
                put(
                    &mut html,
                    &format!("<tr><td><code>{}</code></td></tr>\n", escape(value)),
                );
            }
        }
        put(&mut html, "</tbody></table></div>\n</div>\n</details>\n");
    }
    put(&mut html, "</section>\n");
    html
}

/// A schema in a few words.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        return format!("<a href=\"#schema-{}\">{}</a>", anchor(name), escape(name));
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let choices: Vec<String> = choices.iter().map(type_of).collect();
        return choices.join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("list of {}", type_of(&schema["items"])),
        Value::String(kind) => escape(kind),
        Value::Array(kinds) => {
            let kinds: Vec<String> = kinds.iter().filter_map(Value::as_str).map(escape).collect();
            kinds.join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flat_map(Map::iter)
        .map(|(name, value)| (name.as_str(), value))
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}

fn paragraph(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("<p>{}</p>\n", escape(text))
    }
}

fn anchor(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect()
}

/// Text that may stand in elements and attributes; what stands between backticks becomes code.
fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let mut is_code = false;
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '`' => {
                html.push_str(if is_code { "</code>" } else { "<code>" });
                is_code = !is_code;
            }
            _ => html.push(character),
        }
    }
    if is_code {
        html.push_str("</code>");
    }
    html
}

fn put(html: &mut String, text: &str) {
    html.push_str(text);
}
