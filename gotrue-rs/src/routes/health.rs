//! `GET /health`: whether the service can do what it is for.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use platform::health::Condition;
use platform::http::mount::{Mount, get};
use serde::Serialize;

use crate::db;
use crate::extract::Anybody;
use crate::json;
use crate::routes::resource;
use crate::state::State;

#[derive(Serialize)]
struct HealthBody {
    version: &'static str,
    name: &'static str,
    description: &'static str,
    /// What is wrong, if something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/health"], || [get(get_health)]);
}

/// Public.
// Upstream: answers 200 whatever its database does, and so keeps getting what it cannot serve.
async fn get_health(state: Data<State>) -> HttpResponse {
    let health = state.db.health(db::migrations::PING).await;
    let status = match health.condition {
        Condition::Down => StatusCode::SERVICE_UNAVAILABLE,
        Condition::Healthy | Condition::Degraded => StatusCode::OK,
    };
    json::respond(
        status,
        &HealthBody {
            version: env!("CARGO_PKG_VERSION"),
            name: "GoTrue",
            description: "GoTrue is a user registration and authentication API",
            message: (health.condition != Condition::Healthy).then_some(health.message),
        },
    )
}
