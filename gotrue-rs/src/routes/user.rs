//! `/user`: the caller's own account. Mirrors `internal/api/user.go`.

mod identities;
mod update;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, delete, get, put};

use crate::call::Call;
use crate::caller::Caller;
use crate::error::Error;
use crate::extract::Serving;
use crate::json;
use crate::routes::{nothing, resource};

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Caller, _>(cfg, &["/user", "/user/"], || {
        [get(get_user), put(update::put_user)]
    });
    resource::<Caller, _>(cfg, &["/user/identities/authorize"], || {
        [get(identities::get_authorize)]
    });
    resource::<Caller, _>(cfg, &["/user/identities/{identity_id}"], || {
        [delete(identities::delete_identity)]
    });
    // What is unknown below here is so only to those who may ask.
    resource::<Caller, _>(cfg, &["/user/{rest:.*}"], nothing);
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
