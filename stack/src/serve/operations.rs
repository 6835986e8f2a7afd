//! What is left of the prompt platform's addresses where it is switched off: `/health` and
//! `/metrics`, which concern the whole installation.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use platform::api_keys;
use platform::env::Secret;
use platform::http::bearer;
use platform::pg::Database;
use serde_json::json;

use crate::gateway::Gateway;

/// Longest a database may take to count as there.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// What whoever operates an installation asks.
pub(super) struct Operations {
    /// The database that all services share.
    pub(super) database: Database,
    /// Opens `/metrics`, as the secret key does.
    pub(super) metrics_token: Option<Secret<String>>,
}

pub(super) fn configure(config: &mut ServiceConfig, operations: &Data<Operations>) {
    config
        .app_data(Data::clone(operations))
        .route("/health", web::get().to(get_health))
        .route("/health", web::head().to(get_health))
        .route("/metrics", web::get().to(get_metrics));
}

async fn get_health(operations: Data<Operations>) -> HttpResponse {
    let probe = operations.database.accepts_writes();
    let (code, status, message) = match tokio::time::timeout(DATABASE_TIMEOUT, probe).await {
        Ok(Ok(true)) => (StatusCode::OK, "ok", "All systems operational"),
        Ok(Ok(false)) => (
            StatusCode::OK,
            "degraded",
            "The database cannot store changes; reading works",
        ),
        Ok(Err(_)) | Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "down",
            "The database cannot be reached",
        ),
    };
    HttpResponse::build(code).json(json!({
        "status": status,
        "message": message,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

async fn get_metrics(
    operations: Data<Operations>,
    gateway: Data<Gateway>,
    request: HttpRequest,
) -> HttpResponse {
    let given = bearer::token(request.headers()).unwrap_or_default();
    let token = operations.metrics_token.as_ref();
    let is_token = token.is_some_and(|token| api_keys::matches(given, token.expose()));
    if !is_token && !gateway.keys.is_service(given) {
        return HttpResponse::Unauthorized().json(json!({
            "code": "unauthorized",
            "message": "The metrics take the secret key or the token of METRICS_TOKEN",
        }));
    }
    HttpResponse::Ok()
        .insert_header((
            CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ))
        .body(platform::telemetry::render())
}

/// The answer at every address of the platform, and of its app.
pub(super) async fn nothing_here() -> HttpResponse {
    HttpResponse::NotFound().json(json!({
        "code": "switched_off",
        "error": "switched_off",
        "message": "There is nothing at this address: the prompt platform is switched off in this \
                    installation (WILDFIRE_PROMPTS=false).",
    }))
}
