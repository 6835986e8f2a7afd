//! `/api/v1/stats/overview`: the dashboard's figures.

use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, get};
use serde::Serialize;
use utoipa::ToSchema;

use super::resource;
use crate::caller::SignedIn;
use crate::db;
use crate::error::Error;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/stats/overview", [get(get_overview)]);
}

/// What you have, and what you did in the last 30 days.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OverviewBody {
    /// Prompts in your organizations that are not archived.
    pub prompts: i64,
    /// Their versions.
    pub versions: i64,
    /// `null` until the first call is counted.
    pub api_calls: Option<i64>,
    /// Time the server took on average, milliseconds.
    pub avg_response_ms: Option<f64>,
}

/// Figures of the caller.
#[utoipa::path(
    get, path = "/api/v1/stats/overview", tag = "Statistics", security(("bearer" = [])),
    responses((status = 200, body = OverviewBody), (status = 401), (status = 403))
)]
pub(super) async fn get_overview(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
) -> Result<HttpResponse, Error> {
    let user = caller.user_id().ok_or(Error::Forbidden)?;
    let overview = db::stats::overview(caller.session(&state.database), user).await?;
    let pending = state.usage.pending(user);
    let calls = overview.calls + pending.count;
    let duration_ms = overview.duration_ms + pending.duration_ms;
    Ok(HttpResponse::Ok().json(OverviewBody {
        prompts: overview.prompts,
        versions: overview.versions,
        api_calls: (calls > 0).then_some(calls),
        avg_response_ms: (calls > 0).then(|| average(duration_ms, calls)),
    }))
}

/// Rounded to a hundredth.
#[expect(
    clippy::cast_precision_loss,
    reason = "nobody makes 2^53 calls in a month"
)]
fn average(total: f64, count: i64) -> f64 {
    (total / count as f64 * 100.0).round() / 100.0
}
