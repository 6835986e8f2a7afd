//! `/.well-known`: public keys and discovery. Mirrors `internal/api/jwks.go`.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, get};
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, ErrorCode};
use crate::extract::Anybody;
use crate::json::{self, Document};
use crate::routes::resource;
use crate::state::State;

#[derive(Serialize)]
struct JwksBody {
    keys: Vec<Document>,
}

#[derive(Serialize)]
struct DiscoveryBody<'a> {
    issuer: &'a str,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: String,
    scopes_supported: &'static [&'static str],
    response_types_supported: &'static [&'static str],
    response_modes_supported: &'static [&'static str],
    grant_types_supported: &'static [&'static str],
    subject_types_supported: &'static [&'static str],
    id_token_signing_alg_values_supported: &'static [&'static str],
    token_endpoint_auth_methods_supported: &'static [&'static str],
    claims_supported: &'static [&'static str],
    code_challenge_methods_supported: &'static [&'static str],
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/.well-known/jwks.json"], || [get(get_jwks)]);
    resource::<Anybody, _>(cfg, &["/.well-known/openid-configuration"], || {
        [get(get_openid_configuration)]
    });
    resource::<Anybody, _>(cfg, &["/.well-known/oauth-authorization-server"], || {
        [get(get_oauth_server)]
    });
}

/// Public. Shared secrets are not among the keys.
async fn get_jwks(state: web::Data<State>) -> HttpResponse {
    let mut set = state.keyring.public_jwks();
    let keys = match set.get_mut("keys").map(Value::take) {
        Some(Value::Array(keys)) => keys,
        _ => Vec::new(),
    };
    let keys = keys.into_iter().filter_map(|key| match key {
        Value::Object(key) => Some(Document::from(key)),
        _ => None,
    });
    cached(json::respond(
        StatusCode::OK,
        &JwksBody {
            keys: keys.collect(),
        },
    ))
}

/// Public.
async fn get_openid_configuration(state: web::Data<State>) -> HttpResponse {
    discovery(&state)
}

/// Public. The OAuth server is not built yet.
fn get_oauth_server() -> std::future::Ready<Result<HttpResponse, Error>> {
    std::future::ready(Err(Error::not_found(
        ErrorCode::FeatureDisabled,
        "OAuth server is disabled",
    )))
}

fn discovery(state: &State) -> HttpResponse {
    let issuer = state.config.jwt.issuer.as_str();
    let base = issuer.trim_end_matches('/');
    let body = DiscoveryBody {
        issuer,
        authorization_endpoint: format!("{base}/oauth/authorize"),
        token_endpoint: format!("{base}/oauth/token"),
        jwks_uri: format!("{base}/.well-known/jwks.json"),
        userinfo_endpoint: format!("{base}/oauth/userinfo"),
        scopes_supported: &["openid", "profile", "email", "phone", "offline_access"],
        response_types_supported: &["code"],
        response_modes_supported: &["query"],
        grant_types_supported: &["authorization_code", "refresh_token"],
        subject_types_supported: &["public"],
        id_token_signing_alg_values_supported: &["RS256", "HS256", "ES256"],
        token_endpoint_auth_methods_supported: &[
            "client_secret_basic",
            "client_secret_post",
            "none",
        ],
        claims_supported: &[
            "sub",
            "aud",
            "iss",
            "exp",
            "iat",
            "auth_time",
            "nonce",
            "email",
            "email_verified",
            "phone_number",
            "phone_number_verified",
            "name",
            "picture",
            "preferred_username",
            "updated_at",
        ],
        code_challenge_methods_supported: &["S256", "plain"],
    };
    cached(json::respond(StatusCode::OK, &body))
}

fn cached(mut response: HttpResponse) -> HttpResponse {
    let age = HeaderValue::from_static("public, max-age=600");
    response.headers_mut().insert(CACHE_CONTROL, age);
    response
}
