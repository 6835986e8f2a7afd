//! `/debug/auth-test`: what the server makes of a token. Only with `DEBUG_ENDPOINTS`.

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::bearer;
use platform::http::mount::{Mount, get};
use serde_json::json;

use super::no_route;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    mount.resource("/debug/auth-test", [get(test_auth)], web::to(no_route));
}

/// Public: a bad token is an answer here, not a refusal. Never repeats the token.
async fn test_auth(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    let token = bearer::token(request.headers());
    let verified = token.and_then(|token| state.verifier.verify(token).ok());
    let user = verified.filter(|token| token.claims.role.as_deref() == Some("authenticated"));
    HttpResponse::Ok().json(json!({
        "authenticated": user.is_some(),
        "email": user.and_then(|token| token.claims.email.clone()),
        "token_present": request.headers().contains_key(AUTHORIZATION),
    }))
}
