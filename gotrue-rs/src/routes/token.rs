//! `POST /token`: trading something for a session. Mirrors `internal/api/token.go`.

mod id_token;
mod password;
mod pkce;
mod refresh;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use platform::http::mount::{Mount, post};
use serde::Serialize;

use crate::call::Call;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json;
use crate::limits::Bucket;
use crate::routes::resource;
use crate::sessions::{PasswordVerdict, SessionTokens};

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/token"], || [post(post_token)]);
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

/// The answer to a sign-in.
#[derive(Serialize)]
struct TokenResponse<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    expires_at: i64,
    refresh_token: &'a str,
    user: &'a User,
    #[serde(skip_serializing_if = "str::is_empty")]
    provider_token: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    provider_refresh_token: &'a str,
    #[serde(skip_serializing_if = "PasswordVerdict::is_unused")]
    weak_password: &'a PasswordVerdict,
}

impl SessionTokens {
    /// The answer that signs `user` in.
    pub(crate) fn respond(&self, user: &User) -> HttpResponse {
        let body = TokenResponse {
            access_token: &self.access_token,
            token_type: "bearer",
            expires_in: self.expires_in,
            expires_at: self.expires_at,
            refresh_token: &self.refresh_token,
            user,
            provider_token: &self.provider_token,
            provider_refresh_token: &self.provider_refresh_token,
            weak_password: &self.password,
        };
        let mut response = json::respond(StatusCode::OK, &body);
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                let name = HeaderName::from_static(name);
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}
