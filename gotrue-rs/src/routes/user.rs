//! `/user`: the caller's own account. Mirrors `internal/api/user.go`.

mod identities;
mod update;

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, web};

use super::user_resource;
use crate::call::{Call, Serving};
use crate::caller::Caller;
use crate::error::{Error, ErrorCode};
use crate::json;

pub(super) fn configure(cfg: &mut web::ServiceConfig) {
    user_resource(cfg, &["/user", "/user/"], || {
        vec![
            (Method::GET, web::get().to(get_user)),
            (Method::PUT, web::put().to(update::put_user)),
        ]
    });
    user_resource(cfg, &["/user/identities/authorize"], || {
        vec![(Method::GET, web::get().to(identities::get_authorize))]
    });
    user_resource(cfg, &["/user/identities/{identity_id}"], || {
        vec![(
            Method::DELETE,
            web::delete().to(identities::delete_identity),
        )]
    });
    // What is unknown below here is so only to those who may ask.
    user_resource(cfg, &["/user/{rest:.*}"], Vec::new);
}

/// The caller, in one round trip.
async fn get_user(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    let caller = Caller::authenticate(&state, &call).await?;
    let audience = call.audience(&state.config, Some(caller.claims()));
    if !caller.is_of_audience(&audience) {
        return Err(Error::bad_request(
            ErrorCode::ValidationFailed,
            "Token audience doesn't match request audience",
        ));
    }
    Ok(json::respond(StatusCode::OK, &caller.user))
}
