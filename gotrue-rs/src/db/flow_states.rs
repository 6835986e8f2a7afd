//! `auth.flow_state`: PKCE flows that were started and not finished.
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
    db.execute(
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
    .await?;
    Ok(())
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
    db.execute(MARK_ISSUED, &[&id, &now]).await?;
    Ok(())
}
