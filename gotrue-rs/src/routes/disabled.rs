//! Features that are not built answer as upstream does while they are switched off.
//!
//! Mirrors the `require…Enabled` checks of upstream's `internal/api/middleware.go`.

use std::future::{Ready, ready};

use actix_web::HttpResponse;
use platform::http::mount::{Mount, any, delete, get};

use crate::call::Call;
use crate::caller::{Admin, Caller};
use crate::config::ExternalConfig;
use crate::error::{Error, ErrorCode};
use crate::extract::Anybody;
use crate::routes::resource;

pub(super) fn configure(cfg: &mut Mount<'_>) {
    closed(cfg, ["/sso", "/sso/{rest:.*}"], saml);
    closed(cfg, ["/passkeys", "/passkeys/{rest:.*}"], passkeys);
    closed(cfg, ["/oauth", "/oauth/{rest:.*}"], oauth_server);
    closed(cfg, ["/scim/v2", "/scim/v2/{rest:.*}"], scim);
    resource::<Caller, _>(cfg, &["/user/oauth/grants", "/user/oauth/grants/"], || {
        [get(refuse(oauth_server)), delete(refuse(oauth_server))]
    });
    for path in ["/admin/oauth", "/admin/oauth/{rest:.*}"] {
        resource::<Admin, _>(cfg, &[path], || [any(refuse(oauth_server))]);
    }
    resource::<Anybody, _>(cfg, &["/authorize"], || [get(authorize)]);
}

/// Everything below these paths, whatever the method.
fn closed(cfg: &mut Mount<'_>, paths: [&'static str; 2], answer: fn() -> Error) {
    for path in paths {
        resource::<Anybody, _>(cfg, &[path], || [any(refuse(answer))]);
    }
}

fn refuse(answer: fn() -> Error) -> impl Fn() -> Ready<Result<HttpResponse, Error>> + Clone {
    move || ready(Err(answer()))
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
    Error::invalid(format!("Unsupported provider: {reason}"))
}
