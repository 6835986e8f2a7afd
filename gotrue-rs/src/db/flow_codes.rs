//! `auth.flow_state` as a code redeems it. Mirrors upstream's `internal/models/flow_state.go`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, column};
use uuid::Uuid;

/// A PKCE flow whose code somebody holds.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) id: Uuid,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) method: String,
    pub(crate) code_challenge: String,
    pub(crate) code_challenge_method: String,
    pub(crate) provider_type: String,
    pub(crate) provider_token: String,
    pub(crate) provider_refresh_token: String,
    pub(crate) auth_code_issued_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
}

const BY_AUTH_CODE: &str = "-- auth.flow_state.by_auth_code
select id, user_id, authentication_method, coalesce(code_challenge, '') as code_challenge,
  coalesce(code_challenge_method::text, '') as code_challenge_method, provider_type,
  coalesce(provider_access_token, '') as provider_token,
  coalesce(provider_refresh_token, '') as provider_refresh_token, auth_code_issued_at,
  coalesce(created_at, 'epoch') as created_at
from auth.flow_state
where auth_code = $1";

/// The flow a code belongs to.
pub(crate) async fn by_auth_code(
    db: &impl Executor,
    auth_code: &str,
) -> Result<Option<Flow>, DbError> {
    let Some(row) = db.query_opt(BY_AUTH_CODE, &[&auth_code]).await? else {
        return Ok(None);
    };
    Ok(Some(Flow {
        id: column(&row, "id")?,
        user_id: column(&row, "user_id")?,
        method: column(&row, "authentication_method")?,
        code_challenge: column(&row, "code_challenge")?,
        code_challenge_method: column(&row, "code_challenge_method")?,
        provider_type: column(&row, "provider_type")?,
        provider_token: column(&row, "provider_token")?,
        provider_refresh_token: column(&row, "provider_refresh_token")?,
        auth_code_issued_at: column(&row, "auth_code_issued_at")?,
        created_at: column(&row, "created_at")?,
    }))
}

const DELETE: &str = "-- auth.flow_state.delete
delete from auth.flow_state where id = $1";

/// Ends a flow; `false` if it was already over.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<bool, DbError> {
    Ok(db.execute(DELETE, &[&id]).await? > 0)
}
