//! The `OpenAPI` document, made from the handlers.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use platform::http::mount::{Mount, get};
use serde_json::{Value, json};
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::resource;

/// All routes and what they take and give.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wildfire prompt API",
        description = "Store, version, compile and fetch prompt templates. Send an access token as \
            `Authorization: Bearer …`. Every refusal is \
            `{\"error\": {\"code\", \"message\", \"details\"}}`, every answer has `X-Request-Id`."
    ),
    paths(
        super::prompts::list_prompts,
        super::prompts::create_prompt,
        super::prompts::get_prompt,
        super::by_key::get_prompt_by_key,
        super::prompts::update_prompt,
        super::prompts::delete_prompt,
        super::prompts::archive_prompt,
        super::prompts::unarchive_prompt,
        super::versions::list_versions,
        super::versions::create_version,
        super::versions::get_version,
        super::prompts::rollback_prompt,
        super::compile::compile_prompt,
        super::compile::compile_text,
        super::organizations::list_organizations,
        super::repositories::list_repositories,
        super::repositories::create_repository,
        super::repositories::get_repository,
        super::stats::get_overview,
        super::waitlist::join_waitlist,
        super::health::get_health,
        super::health::get_metrics,
    ),
    modifiers(&BearerToken)
)]
struct Api;

struct BearerToken;

impl Modify for BearerToken {
    fn modify(&self, document: &mut Document) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// The document as data.
pub(super) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Api::openapi()).unwrap_or_default();
    document["components"]["schemas"]["Error"] = error_schema();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let operations = paths.flat_map(|(_, methods)| methods.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            complete(status, response);
        }
    }
    document
});

static TEXT: LazyLock<String> = LazyLock::new(|| DOCUMENT.to_string());

/// Every answer has a description, every refusal the same body.
fn complete(status: &str, response: &mut Value) {
    let Ok(status) = status.parse::<StatusCode>() else {
        return;
    };
    let described = response["description"]
        .as_str()
        .is_some_and(|text| !text.is_empty());
    if !described {
        response["description"] = status.canonical_reason().unwrap_or_default().into();
    }
    if status.as_u16() >= 400 && response.get("content").is_none() {
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        response["content"] = json!({ "application/json": { "schema": schema } });
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was refused.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "Machine-readable name." },
                    "message": { "type": "string", "description": "What to tell a person." },
                    "details": {
                        "description": "For example a list of `{field, message}`."
                    }
                }
            }
        }
    })
}

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/openapi.json", [get(get_document)]);
}

async fn get_document() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(ContentType::json())
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(TEXT.as_str())
}
