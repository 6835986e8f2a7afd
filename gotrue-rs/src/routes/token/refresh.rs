//! `grant_type=refresh_token`. Mirrors `internal/api/token_refresh.go`.

use actix_web::HttpResponse;
use serde::Deserialize;

use crate::call::Call;
use crate::error::Error;
use crate::sessions::refresh::refresh;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RefreshBody {
    refresh_token: String,
}

/// Refreshes a session.
pub(super) async fn grant(state: &State, call: &Call) -> Result<HttpResponse, Error> {
    let body: RefreshBody = call.json()?;
    let refreshed = refresh(state, call, &body.refresh_token, None).await?;
    Ok(refreshed.issued.respond(&refreshed.user))
}
