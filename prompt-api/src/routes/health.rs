//! `/health` and `/metrics`.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use jiff::Timestamp;
use platform::api_keys;
use platform::health::{Condition, Health};
use platform::http::bearer;
use platform::http::mount::{Mount, get, head};
use serde::Serialize;
use utoipa::ToSchema;

use super::no_route;
use crate::caller::{Caller, SignedIn};
use crate::config::NAME;
use crate::db;
use crate::error::Error;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    mount.resource(
        "/health",
        [get(get_health), head(get_health)],
        web::to(no_route),
    );
    mount.resource("/metrics", [get(get_metrics)], web::to(no_route));
}

/// The state of the whole, and of its parts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Health)]
pub(super) struct HealthBody {
    /// `ok`, `degraded` or `down`.
    pub status: &'static str,
    pub message: &'static str,
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: Timestamp,
    pub version: &'static str,
    pub components: Vec<Component>,
}

/// One part.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Component {
    pub name: &'static str,
    /// `operational`, `healthy`, `degraded`, `down`, `available` or `not_configured`.
    pub status: &'static str,
}

/// Whether everything works, in this service and in the others of this process: `degraded` while one
/// of them is slow or the database cannot store anything, 503 when one cannot do what it is for.
#[utoipa::path(
    get, path = "/health", tag = "Service",
    responses((status = 200, body = HealthBody), (status = 503, body = HealthBody))
)]
pub(super) async fn get_health(state: web::Data<State>) -> HttpResponse {
    let others = state.board.ask_all_but(NAME);
    let (own, others) = tokio::join!(db::health::of(&state.database), others);
    let whole = others.iter().fold(own, |worst, (_, it)| worst.worse(*it));
    let component = |name, status| Component { name, status };
    let mut components = vec![
        component("API Server", "operational"),
        component("Database", word_for(own)),
        // Verified tokens and prepared statements are cached within this process.
        component("Cache Layer", "operational"),
        component("AI Models", "not_configured"),
    ];
    components.extend(
        others
            .into_iter()
            .map(|(name, it)| component(name, word_for(it))),
    );
    let body = HealthBody {
        status: match whole.condition {
            Condition::Healthy => "ok",
            Condition::Degraded => "degraded",
            Condition::Down => "down",
        },
        message: whole.message,
        timestamp: state.clock.now(),
        version: env!("CARGO_PKG_VERSION"),
        components,
    };
    match whole.condition {
        Condition::Down => HttpResponse::ServiceUnavailable().json(body),
        _ => HttpResponse::Ok().json(body),
    }
}

fn word_for(part: Health) -> &'static str {
    match part.condition {
        Condition::Healthy => "healthy",
        Condition::Degraded => "degraded",
        Condition::Down => "down",
    }
}

/// Metrics of this process in Prometheus' text format: for whoever holds the secret key or the
/// token of `METRICS_TOKEN`. They tell how busy an installation is, which is nobody else's business.
#[utoipa::path(
    get, path = "/metrics", tag = "Service", security(("bearer" = [])),
    responses((status = 200, body = String), (status = 401), (status = 403))
)]
pub(super) async fn get_metrics(
    state: web::Data<State>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    if !holds_metrics_token(&state, &request) {
        let SignedIn(caller) = SignedIn::extract(&request).await?;
        if !matches!(caller, Caller::Service { .. }) {
            return Err(Error::Forbidden);
        }
    }
    let response = HttpResponse::Ok()
        .insert_header((
            CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ))
        .body(platform::telemetry::render());
    Ok(response)
}

/// Whether the request brings the token that opens the metrics alone. Where it comes from proves
/// nothing: to a server behind a proxy every caller is a neighbour.
fn holds_metrics_token(state: &State, request: &HttpRequest) -> bool {
    match (&state.metrics_token, bearer::token(request.headers())) {
        (Some(expected), Some(given)) => api_keys::matches(given, expected.expose()),
        _ => false,
    }
}
