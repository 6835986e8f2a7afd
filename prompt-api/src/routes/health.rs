//! `/health` and `/metrics`.

use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, get, head};
use platform::service::operations::{Component, HealthBody, Operations};

use super::no_route;
use crate::caller::Operator;
use crate::db;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    mount.resource(
        "/health",
        [get(get_health), head(get_health)],
        web::to(no_route),
    );
    mount.resource("/metrics", [get(get_metrics)], web::to(no_route));
}

/// Whether everything works, in this service and in the others of this process: `degraded` while one
/// of them is slow or the database cannot store anything, 503 when one cannot do what it is for.
#[utoipa::path(
    get, path = "/health", tag = "Service",
    responses((status = 200, body = HealthBody), (status = 503, body = HealthBody))
)]
pub(super) async fn get_health(state: web::Data<State>) -> HttpResponse {
    let own = async {
        let database = db::health::of(&state.database).await;
        let components = vec![
            Component::new("API Server", "operational"),
            Component::in_condition("Database", database),
            // Verified tokens and prepared statements are cached within this process.
            Component::new("Cache Layer", "operational"),
            Component::new("AI Models", "not_configured"),
        ];
        (database, components)
    };
    state.operations.health(own).await
}

/// Metrics of this process in Prometheus' text format: for whoever holds the secret key or the
/// token of `METRICS_TOKEN`. They tell how busy an installation is, which is nobody else's business.
#[utoipa::path(
    get, path = "/metrics", tag = "Service", security(("bearer" = [])),
    responses((status = 200, body = String), (status = 401), (status = 403))
)]
pub(super) async fn get_metrics(_: Operator) -> HttpResponse {
    Operations::metrics()
}
