//! `grant_type=refresh_token`. Mirrors `internal/api/token_refresh.go`.

use actix_web::HttpResponse;

use crate::call::Call;
use crate::error::Error;
use crate::json;
use crate::sessions::refresh::refresh;
use crate::state::State;

json::body! {
    struct RefreshBody as "RefreshTokenGrantParams" {
        refresh_token: String,
    }
}

/// Refreshes a session.
pub(super) async fn grant(state: &State, call: &Call) -> Result<HttpResponse, Error> {
    let body: RefreshBody = call.json()?;
    let refreshed = refresh(state, call, &body.refresh_token, None).await?;
    Ok(refreshed.issued.respond(&refreshed.user))
}
