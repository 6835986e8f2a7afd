//! What is left of the prompt platform's addresses where it is switched off: `/health` and
//! `/metrics`, which concern the whole installation.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse};
use async_trait::async_trait;
use platform::api_keys;
use platform::env::{Reader, Secret};
use platform::health::{Condition, Health};
use platform::http::bearer;
use platform::http::mount::{Mount, Mounted, get, head};
use platform::service::{Board, Definition, Plan, Service};
use serde_json::json;

use crate::gateway::Gateway;

/// Stands in for the prompt platform: it has the same rows.
pub(crate) static SERVICE: Definition = Definition {
    name: "operations",
    mount: "",
    rows: prompt_api::SERVICE.rows,
    roles: &[],
    migrations: &[],
    routes: mounted,
    read,
};

fn read(env: &Reader<'_>) -> Plan {
    let metrics_token = prompt_api::Config::from_env(env).metrics_token;
    Box::new(move |house| {
        let board = house.board.clone();
        Ok(Arc::new(Running(Data::new(Operations {
            board,
            metrics_token,
        }))))
    })
}

/// What whoever operates an installation asks.
struct Operations {
    /// How the services are.
    board: Board,
    /// Opens `/metrics`, as the secret key does.
    metrics_token: Option<Secret<String>>,
}

struct Running(Data<Operations>);

#[async_trait]
impl Service for Running {
    fn routes(&self, config: &mut ServiceConfig) {
        config.app_data(self.0.clone());
        mount(config, &mut Vec::new());
    }
}

fn mounted() -> Vec<Mounted> {
    let mut mounted = Vec::new();
    let _ = App::new().configure(|config| mount(config, &mut mounted));
    mounted
}

fn mount(config: &mut ServiceConfig, mounted: &mut Vec<Mounted>) {
    let otherwise = || web::to(HttpResponse::NotFound);
    Mount::below("", config, mounted)
        .resource("/health", [get(get_health), head(get_health)], otherwise())
        .resource("/metrics", [get(get_metrics)], otherwise());
}

async fn get_health(operations: Data<Operations>) -> HttpResponse {
    let services = operations.board.ask_all_but(SERVICE.name).await;
    let worst = |worst: Health, (_, it): &(_, Health)| worst.worse(*it);
    let whole = services.iter().fold(Health::good(), worst);
    let (code, status) = match whole.condition {
        Condition::Healthy => (StatusCode::OK, "ok"),
        Condition::Degraded => (StatusCode::OK, "degraded"),
        Condition::Down => (StatusCode::SERVICE_UNAVAILABLE, "down"),
    };
    HttpResponse::build(code).json(json!({
        "status": status,
        "message": whole.message,
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
