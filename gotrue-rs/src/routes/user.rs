//! `/user`: the caller's own account. Mirrors `internal/api/user.go`.

mod identities;
mod update;

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, web};
use platform::http::mount::Mount;

use crate::call::Call;
use crate::caller::Caller;
use crate::error::Error;
use crate::extract::Serving;
use crate::json;
use crate::routes::resource;

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Caller>(cfg, &["/user", "/user/"], || {
        vec![
            (Method::GET, web::get().to(get_user)),
            (Method::PUT, web::put().to(update::put_user)),
        ]
    });
    resource::<Caller>(cfg, &["/user/identities/authorize"], || {
        vec![(Method::GET, web::get().to(identities::get_authorize))]
    });
    resource::<Caller>(cfg, &["/user/identities/{identity_id}"], || {
        vec![(
            Method::DELETE,
            web::delete().to(identities::delete_identity),
        )]
    });
    // What is unknown below here is so only to those who may ask.
    resource::<Caller>(cfg, &["/user/{rest:.*}"], Vec::new);
}

/// The caller, in one round trip.
async fn get_user(state: Serving, caller: Caller, call: Call) -> Result<HttpResponse, Error> {
    let audience = call.audience(&state.config, Some(caller.claims()));
    if !caller.is_of_audience(&audience) {
        return Err(Error::invalid(
            "Token audience doesn't match request audience",
        ));
    }
    Ok(json::respond(StatusCode::OK, &caller.user))
}
