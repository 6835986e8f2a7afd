//! `auth.flow_state`: PKCE flows, from their start to the exchange of their code.
//!
//! Mirrors upstream's `internal/models/flow_state.go`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, column};
use uuid::Uuid;

/// A PKCE flow that a mail will continue.
#[derive(Debug)]
pub(crate) struct NewFlow<'a> {
    pub(crate) user_id: Uuid,
    /// The authentication method, which is also what the flow is found by.
    pub(crate) method: &'a str,
    pub(crate) code_challenge: &'a str,
    /// `s256` or `plain`.
    pub(crate) code_challenge_method: &'a str,
}

const INSERT: &str = "-- auth.flow_state.insert
insert into auth.flow_state
  (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
   provider_access_token, provider_refresh_token, created_at, updated_at,
   authentication_method, email_optional)
values ($1, $2, $3, $4::text::auth.code_challenge_method, $5,
  case when $6 = 'email/signup' then 'email' else $6 end, '', '', $7, $7, $6, false)";

/// Stores a flow with a fresh code, which the client gets when it follows the mail.
pub(crate) async fn insert(
    db: &impl Executor,
    flow: &NewFlow<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    let auth_code = Uuid::new_v4().to_string();
    db.run(
        INSERT,
        &[
            &Uuid::new_v4(),
            &flow.user_id,
            &auth_code,
            &flow.code_challenge_method,
            &flow.code_challenge,
            &flow.method,
            &now,
        ],
    )
    .await
}

/// A flow found by its user.
#[derive(Debug)]
pub(crate) struct FoundFlow {
    pub(crate) id: Uuid,
    /// Absent in flows that are not PKCE.
    pub(crate) auth_code: Option<String>,
}

const LATEST: &str = "-- auth.flow_state.latest
select id, case when coalesce(code_challenge, '') <> '' then auth_code end as auth_code
from auth.flow_state
where user_id = $1 and authentication_method = $2
order by created_at desc, id desc
limit 1";

/// The newest flow of a user with a method.
pub(crate) async fn latest(
    db: &impl Executor,
    user_id: Uuid,
    method: &str,
) -> Result<Option<FoundFlow>, DbError> {
    let row = db.query_opt(LATEST, &[&user_id, &method]).await?;
    row.map(|row| {
        Ok(FoundFlow {
            id: column(&row, "id")?,
            auth_code: column(&row, "auth_code")?,
        })
    })
    .transpose()
}

const MARK_ISSUED: &str = "-- auth.flow_state.mark_issued
update auth.flow_state set auth_code_issued_at = $2, updated_at = $2 where id = $1";

/// Notes when the flow's code was handed out.
pub(crate) async fn mark_issued(
    db: &impl Executor,
    id: Uuid,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(MARK_ISSUED, &[&id, &now]).await
}

/// A PKCE flow whose code somebody holds.
#[derive(Debug)]
pub(crate) struct HeldFlow {
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
) -> Result<Option<HeldFlow>, DbError> {
    let Some(row) = db.query_opt(BY_AUTH_CODE, &[&auth_code]).await? else {
        return Ok(None);
    };
    Ok(Some(HeldFlow {
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
