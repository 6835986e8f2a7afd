//! Features that are not built answer as upstream does while they are switched off.
//!
//! Mirrors the `require…Enabled` checks of upstream's `internal/api/middleware.go`.

use actix_web::http::{Method, StatusCode};
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, web};

use super::{resource, user_resource};
use crate::call::{Call, Serving};
use crate::caller::{Admin, Caller};
use crate::config::ExternalConfig;
use crate::error::{Error, ErrorCode};
use crate::middleware;

pub(super) fn configure(cfg: &mut web::ServiceConfig) {
    closed(cfg, &["/sso", "/sso/{rest:.*}"], saml);
    closed(cfg, &["/passkeys", "/passkeys/{rest:.*}"], passkeys);
    closed(cfg, &["/oauth", "/oauth/{rest:.*}"], oauth_server);
    closed(cfg, &["/scim/v2", "/scim/v2/{rest:.*}"], scim);
    user_resource(cfg, &["/user/oauth/grants", "/user/oauth/grants/"], || {
        vec![
            (Method::GET, web::get().to(grants)),
            (Method::DELETE, web::delete().to(grants)),
        ]
    });
    for path in ["/admin/oauth", "/admin/oauth/{rest:.*}"] {
        let behind_admin = web::resource(path)
            .wrap(from_fn(middleware::token_first))
            .wrap(from_fn(middleware::around));
        cfg.service(behind_admin.default_service(web::to(admin_oauth)));
    }
    resource(cfg, &["/authorize"], || {
        vec![(Method::GET, web::get().to(authorize))]
    });
}

/// Everything below these paths, whatever the method.
fn closed(cfg: &mut web::ServiceConfig, paths: &[&str], answer: fn() -> Error) {
    for path in paths {
        let resource = web::resource(*path).wrap(from_fn(middleware::around));
        let refused = move || std::future::ready(Err::<HttpResponse, _>(answer()));
        cfg.service(resource.default_service(web::to(refused)));
    }
}

fn saml() -> Error {
    Error::not_found(ErrorCode::SamlProviderDisabled, "SAML 2.0 is disabled")
}

fn passkeys() -> Error {
    Error::not_found(ErrorCode::PasskeyDisabled, "Passkeys are disabled")
}

fn oauth_server() -> Error {
    Error::not_found(ErrorCode::FeatureDisabled, "OAuth server is disabled")
}

fn scim() -> Error {
    Error::not_found(ErrorCode::FeatureDisabled, "SCIM server is disabled")
}

async fn grants(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    Caller::authenticate(&state, &call).await?;
    Err(oauth_server())
}

async fn admin_oauth(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    Admin::authenticate(&state, &call).await?;
    Err(oauth_server())
}

/// Public. Signing in elsewhere needs a provider, and none is built in yet.
async fn authorize(call: Call) -> Result<HttpResponse, Error> {
    Err(unsupported_provider(
        call.query("provider").unwrap_or_default(),
    ))
}

/// Why a provider cannot be used.
pub(super) fn unsupported_provider(provider: &str) -> Error {
    let provider = provider.to_lowercase();
    let reason = if ExternalConfig::knows(&provider) {
        "provider is not enabled".to_owned()
    } else {
        format!("Provider {provider} could not be found")
    };
    Error::status(
        StatusCode::BAD_REQUEST,
        Some(ErrorCode::ValidationFailed),
        format!("Unsupported provider: {reason}"),
    )
}
