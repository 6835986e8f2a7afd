//! `grant_type=pkce`. Mirrors `PKCE` of `internal/api/token.go`.

use actix_web::HttpResponse;
use jiff::SignedDuration;
use platform::pg::Tx;
use serde::Deserialize;

use crate::accounts::pkce;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::db::flow_states::HeldFlow;
use crate::error::{Error, ErrorCode};
use crate::sessions::{self, AuthMethod, Grant};
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PkceBody {
    auth_code: String,
    code_verifier: String,
}

/// Trades a code from a link or provider for a session.
pub(super) async fn grant(state: &State, call: &Call) -> Result<HttpResponse, Error> {
    let body: PkceBody = call.json()?;
    if body.auth_code.is_empty() || body.code_verifier.is_empty() {
        return Err(Error::invalid(
            "invalid request: both auth code and code verifier should be non-empty",
        ));
    }
    let client = state.client().await?;
    let missing = || {
        Error::not_found(
            ErrorCode::FlowStateNotFound,
            "invalid flow state, no valid flow state found",
        )
    };
    let flow = db::flow_states::by_auth_code(&client, &body.auth_code)
        .await?
        .ok_or_else(missing)?;
    let user_id = flow.user_id.ok_or_else(missing)?;
    if is_expired(state, &flow) {
        return Err(Error::unprocessable(
            ErrorCode::FlowStateExpired,
            "invalid flow state, flow state has expired",
        ));
    }
    let user = db::users::by_id(&client, user_id).await?;
    let user = user.ok_or_else(|| Error::Unexpected("user of flow state not found".into()))?;
    drop(client);
    pkce::verify(
        &flow.code_challenge,
        &flow.code_challenge_method,
        &body.code_verifier,
    )?;
    let method = AuthMethod::parse(&flow.method)
        .ok_or_else(|| Error::Unexpected("unsupported authentication method".into()))?;
    let exchange = async |tx: &Tx<'_>| -> Result<_, Error> {
        let mut user = user.clone();
        // Upstream: two exchanges of one code at the same time both succeed.
        if !db::flow_states::delete(tx, flow.id).await? {
            return Err(missing());
        }
        let entry =
            Entry::new(&user, Action::Login).trait_("provider_type", flow.provider_type.as_str());
        let grant = Grant::audited(entry);
        let issued = sessions::issue(state, tx, call, &mut user, method, grant).await?;
        Ok((user, issued))
    };
    let (user, mut issued) = state.db.transaction("exchange_code", exchange).await?;
    issued.provider_token.clone_from(&flow.provider_token);
    issued
        .provider_refresh_token
        .clone_from(&flow.provider_refresh_token);
    Ok(issued.respond(&user))
}

/// Codes of magic links live from when the link was followed, all others from the start of the
/// flow.
fn is_expired(state: &State, flow: &HeldFlow) -> bool {
    let start = match flow.auth_code_issued_at {
        Some(issued) if flow.method == "magiclink" => issued,
        _ => flow.created_at,
    };
    let life = SignedDuration::try_from(state.config.external.flow_state_expiry);
    state.clock.now().duration_since(start) > life.unwrap_or(SignedDuration::MAX)
}
