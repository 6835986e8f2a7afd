//! `/health` and `/metrics`.

use std::time::{Duration, Instant};

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use jiff::Timestamp;
use platform::api_keys;
use platform::http::bearer;
use platform::telemetry::seldom::Seldom;
use serde::Serialize;
use utoipa::ToSchema;

use crate::caller::{Caller, SignedIn};
use crate::db;
use crate::error::Error;
use crate::state::State;

/// Longest a database may take to count as there.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest it may take to count as well.
const DATABASE_SLOW: Duration = Duration::from_millis(500);

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .route("/health", web::get().to(get_health))
        .route("/health", web::head().to(get_health))
        .route("/metrics", web::get().to(get_metrics));
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

/// Whether everything works: `degraded` while the database is slow or cannot store anything, 503
/// when it cannot be reached.
#[utoipa::path(
    get, path = "/health", tag = "Service",
    responses((status = 200, body = HealthBody), (status = 503, body = HealthBody))
)]
pub(super) async fn get_health(state: web::Data<State>) -> HttpResponse {
    let (database, status, message) = match look_at_database(&state).await {
        Finding::Healthy => ("healthy", "ok", "All systems operational"),
        Finding::Slow => ("degraded", "degraded", "The database is slow to answer"),
        Finding::ReadOnly => (
            "degraded",
            "degraded",
            "The database cannot store changes; reading works",
        ),
        Finding::Down => ("down", "down", "The database cannot be reached"),
    };
    let component = |name, status| Component { name, status };
    let body = HealthBody {
        status,
        message,
        timestamp: state.clock.now(),
        version: env!("CARGO_PKG_VERSION"),
        components: vec![
            component("API Server", "operational"),
            component("Database", database),
            // Verified tokens and prepared statements are cached within this process.
            component("Cache Layer", "operational"),
            component("AI Models", "not_configured"),
        ],
    };
    match status {
        "down" => HttpResponse::ServiceUnavailable().json(body),
        _ => HttpResponse::Ok().json(body),
    }
}

/// What the database is able to do.
enum Finding {
    Healthy,
    Slow,
    ReadOnly,
    Down,
}

async fn look_at_database(state: &State) -> Finding {
    let started = Instant::now();
    match tokio::time::timeout(DATABASE_TIMEOUT, db::health::ping(&state.database)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            if let Some(left_out) = error.outage().map_or(Some(0), Seldom::admit) {
                tracing::warn!(%error, left_out, "health check failed");
            }
            return Finding::Down;
        }
        // All connections busy is no reason to take the service away from those who wait.
        Err(_) if is_busy(state) => return Finding::Slow,
        Err(_) => return Finding::Down,
    }
    let answered = started.elapsed();
    match tokio::time::timeout(DATABASE_TIMEOUT, state.database.accepts_writes()).await {
        Ok(Ok(false)) => Finding::ReadOnly,
        Ok(Ok(true)) if answered < DATABASE_SLOW => Finding::Healthy,
        Ok(Ok(true)) | Err(_) => Finding::Slow,
        Ok(Err(error)) => {
            if let Some(left_out) = error.outage().map_or(Some(0), Seldom::admit) {
                tracing::warn!(%error, left_out, "whether it takes writes is not known");
            }
            Finding::Slow
        }
    }
}

fn is_busy(state: &State) -> bool {
    let (in_use, most) = state.database.usage();
    in_use >= most
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
