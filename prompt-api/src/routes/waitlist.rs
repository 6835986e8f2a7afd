//! `/api/waitlist`: early access, with and without a slash at the end.

use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::forwarded::client_ip;
use platform::http::mount::{Mount, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::resource;
use crate::db;
use crate::error::Error;
use crate::json::Json;
use crate::state::State;
use crate::waitlist::normalise_email;

/// Largest body, bytes: an address has at most 254 characters.
const BODY_LIMIT: usize = 4096;

pub(super) fn configure(mount: &mut Mount<'_>) {
    for path in ["/waitlist", "/waitlist/"] {
        resource(mount, path, [post(join_waitlist)]);
    }
}

/// `POST /api/waitlist`
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WaitlistRequest)]
pub(super) struct SignupRequest {
    #[schema(required = true, nullable = false)]
    email: Option<String>,
}

/// The same for an address that was on the list already.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WaitlistEntry)]
pub(super) struct SignupBody {
    pub success: bool,
    pub message: &'static str,
    pub email: String,
}

/// Puts an address on the early-access list.
#[utoipa::path(
    post, path = "/api/waitlist", tag = "Waitlist", request_body = SignupRequest,
    responses(
        (status = 200, body = SignupBody), (status = 422),
        (status = 429, description = "More than 5 a minute from one address"),
    )
)]
pub(super) async fn join_waitlist(
    state: web::Data<State>,
    request: HttpRequest,
    Json(body): Json<SignupRequest, BODY_LIMIT>,
) -> Result<HttpResponse, Error> {
    state
        .signups
        .check(client_ip(&request))
        .map_err(Error::TooManyRequests)?;
    let given = body.email.unwrap_or_default();
    let email = normalise_email(&given)
        .ok_or_else(|| Error::field("email", "must be an e-mail address"))?;
    db::waitlist::insert(&state.database, &email).await?;
    let message = "You are on the list. We will write to you as soon as there is room.";
    Ok(HttpResponse::Ok().json(SignupBody {
        success: true,
        message,
        email,
    }))
}
