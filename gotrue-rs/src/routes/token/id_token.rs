//! `grant_type=id_token`. Mirrors `internal/api/token_oidc.go` as it answers while every provider
//! is switched off: no provider is built in yet.

use actix_web::HttpResponse;
use serde::Deserialize;

use crate::call::Call;
use crate::caller::Caller;
use crate::error::{Error, ErrorCode};
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IdTokenBody {
    id_token: String,
    access_token: String,
    nonce: String,
    provider: String,
    client_id: String,
    issuer: String,
    link_identity: bool,
}

/// Providers whose tokens name one issuer.
const ISSUERS: [(&str, &str); 6] = [
    ("google", "https://accounts.google.com"),
    ("facebook", "https://www.facebook.com"),
    ("kakao", "https://kauth.kakao.com"),
    ("vercel_marketplace", "https://marketplace.vercel.com"),
    (
        "snapchat",
        "https://accounts.snapchat.com/accounts/oauth2/token",
    ),
    ("keycloak", ""),
];

/// Says why a provider's token is not taken.
pub(super) async fn grant(state: &State, call: &Call) -> Result<HttpResponse, Error> {
    let body: IdTokenBody = call.json()?;
    let invalid = |text: &'static str| Error::oauth("invalid request", text);
    if body.id_token.is_empty() {
        return Err(invalid("id_token required"));
    }
    if body.provider.is_empty() && (body.client_id.is_empty() || body.issuer.is_empty()) {
        return Err(invalid("provider or client_id and issuer required"));
    }
    if body.link_identity {
        if call.header("authorization").is_none() {
            return Err(invalid(
                "Linking requires a valid user access token in Authorization",
            ));
        }
        Caller::authenticate(state, call.bearer()).await?;
    }
    let refused = |text: &'static str| Error::invalid(text);
    let by = |name: &str, issuer: &str| {
        body.provider == name || (!issuer.is_empty() && body.issuer == issuer)
    };
    match body.provider.as_str() {
        "apple" => {
            return Err(refused(
                "Unable to detect issuer in ID token for Apple provider",
            ));
        }
        "azure" => {
            return Err(refused(
                "Unable to detect issuer in ID token for Azure provider",
            ));
        }
        custom if custom.starts_with("custom:") => {
            let text = format!("Custom provider {custom:?} not found");
            return Err(Error::invalid(text));
        }
        _ => {}
    }
    let issuer = ISSUERS
        .iter()
        .find(|(name, issuer)| by(name, issuer))
        .map(|(_, issuer)| *issuer);
    Err(match issuer {
        Some(issuer) => Error::bad_request(
            ErrorCode::ProviderDisabled,
            format!("Provider (issuer {issuer:?}) is not enabled"),
        ),
        None => Error::invalid(format!(
            "Custom OIDC provider {:?} not allowed",
            body.provider
        )),
    })
}
