//! `GET /health`: the process answers.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, get};
use serde::Serialize;

use crate::extract::Anybody;
use crate::json;
use crate::routes::resource;

#[derive(Serialize)]
struct HealthBody {
    version: &'static str,
    name: &'static str,
    description: &'static str,
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/health"], || [get(get_health)]);
}

/// Public.
async fn get_health() -> HttpResponse {
    json::respond(
        StatusCode::OK,
        &HealthBody {
            version: env!("CARGO_PKG_VERSION"),
            name: "GoTrue",
            description: "GoTrue is a user registration and authentication API",
        },
    )
}
