//! `POST /token`: trading something for a session. Mirrors `internal/api/token.go`.

mod id_token;
mod password;
mod pkce;
mod refresh;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};

use super::resource;
use crate::call::{Call, Serving};
use crate::error::{Error, ErrorCode};
use crate::limits::Bucket;

pub(super) fn configure(cfg: &mut web::ServiceConfig) {
    resource(cfg, &["/token"], || {
        vec![(Method::POST, web::post().to(post_token))]
    });
}

/// Public. Refreshes do not wait behind strangers: most of who shows a refresh token is none.
async fn post_token(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    let grant = call.form_value("grant_type").to_owned();
    let limit = || state.limits.check(Bucket::Token, &call);
    match grant.as_str() {
        "password" => {
            limit()?;
            password::grant(&state, &call).await
        }
        "refresh_token" => {
            limit()?;
            refresh::grant(&state.for_unproved(), &call).await
        }
        "pkce" => {
            limit()?;
            pkce::grant(&state, &call).await
        }
        "id_token" => {
            limit()?;
            id_token::grant(&state, &call).await
        }
        "web3" => Err(Error::unprocessable(
            ErrorCode::Web3ProviderDisabled,
            "Web3 provider is disabled",
        )),
        _ => Err(Error::bad_request(
            ErrorCode::InvalidCredentials,
            "unsupported_grant_type",
        )),
    }
}
