//! `auth.sessions` and `auth.mfa_amr_claims`. Mirrors upstream's `internal/models/sessions.go`
//! and `amr.go`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, Json, column};
use serde::Deserialize;
use uuid::Uuid;

/// A session as it was when it was read.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Session {
    pub(crate) id: Uuid,
    pub(crate) created_at: Timestamp,
    pub(crate) aal: Option<String>,
    pub(crate) not_after: Option<Timestamp>,
    /// Stored without a zone, holding UTC.
    pub(crate) refreshed_at: Option<Timestamp>,
    pub(crate) tag: Option<String>,
    pub(crate) oauth_client_id: Option<Uuid>,
    pub(crate) scopes: Option<String>,
    pub(crate) refresh_token_hmac_key: Option<String>,
    pub(crate) refresh_token_counter: Option<i64>,
    /// How the user authenticated, and when, in no order.
    pub(crate) amr: Vec<AmrClaim>,
}

/// One authentication that counts for a session.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct AmrClaim {
    pub(crate) method: String,
    pub(crate) at: Timestamp,
}

impl Session {
    /// Whether a second factor was used.
    pub(crate) fn is_aal2(&self) -> bool {
        self.aal.as_deref() == Some("aal2")
    }

    /// Whether the user got here through a mail or message instead of a password.
    pub(crate) fn is_recovery(&self) -> bool {
        self.amr
            .iter()
            .any(|claim| matches!(claim.method.as_str(), "recovery" | "otp" | "magiclink"))
    }
}

/// The columns of the session `s` as a JSON object.
macro_rules! session_object {
    () => {
        "json_build_object(
    'id', s.id, 'created_at', coalesce(s.created_at, 'epoch'), 'aal', s.aal,
    'not_after', s.not_after, 'refreshed_at', s.refreshed_at at time zone 'utc', 'tag', s.tag,
    'oauth_client_id', s.oauth_client_id, 'scopes', s.scopes,
    'refresh_token_hmac_key', s.refresh_token_hmac_key,
    'refresh_token_counter', s.refresh_token_counter,
    'amr', (select coalesce(json_agg(json_build_object(
        'method', c.authentication_method, 'at', c.updated_at)), '[]')
      from auth.mfa_amr_claims as c where c.session_id = s.id)
  )"
    };
}

pub(crate) use session_object;

const OF_USER: &str = concat!(
    "-- auth.sessions.of_user
select ",
    session_object!(),
    " as session
from auth.sessions as s
where s.user_id = $1"
);

/// All sessions of a user.
pub(crate) async fn of_user(db: &impl Executor, user_id: Uuid) -> Result<Vec<Session>, DbError> {
    let rows = db.query(OF_USER, &[&user_id]).await?;
    rows.iter()
        .map(|row| Ok(column::<Json<Session>>(row, "session")?.0))
        .collect()
}

const EXISTS: &str = "-- auth.sessions.exists
select exists (select from auth.sessions where id = $1) as found";

/// Whether there is this session.
pub(crate) async fn exists(db: &impl Executor, id: Uuid) -> Result<bool, DbError> {
    column(&db.query_one(EXISTS, &[&id]).await?, "found")
}

const DELETE: &str = "-- auth.sessions.delete
delete from auth.sessions where id = $1";

/// Ends one session.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}

const DELETE_OF_USER: &str = "-- auth.sessions.delete_of_user
delete from auth.sessions where user_id = $1 and ($2::uuid is null or id <> $2)";

/// Ends all sessions of a user, but for the one given.
pub(crate) async fn delete_of_user(
    db: &impl Executor,
    user_id: Uuid,
    kept: Option<Uuid>,
) -> Result<(), DbError> {
    db.run(DELETE_OF_USER, &[&user_id, &kept]).await
}

/// A session about to be stored, with everything that is stored along with it.
#[derive(Debug)]
pub(crate) struct NewSession<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) factor_id: Option<Uuid>,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) ip: Option<&'a str>,
    pub(crate) tag: Option<&'a str>,
    /// The first refresh token of version 1, which is a row of its own.
    pub(crate) refresh_token: Option<&'a str>,
    /// The key of refresh tokens of version 2, which are counted in the session.
    pub(crate) hmac_key: Option<&'a str>,
    pub(crate) method: &'a str,
    pub(crate) audit: Option<(Uuid, crate::json::Document)>,
}

const START: &str = "-- auth.sessions.start
with started as (
  insert into auth.sessions
    (id, user_id, created_at, updated_at, factor_id, aal, not_after, user_agent, ip, tag,
     refresh_token_hmac_key, refresh_token_counter)
  values ($1, $2, $3, $3, $4, 'aal1', $5, $6, $7::text::inet, $8, $9::text,
    case when $9::text is not null then 0 end)
), issued as (
  insert into auth.refresh_tokens
    (instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', $10::text, $2::uuid::text, null, $1, false, $3, $3
  where $10::text is not null
), authenticated as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  values ($11, $1, $3, $3, $12)
), logged as (
  insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', $13::uuid, $14::json, $3, ''
  where $13::uuid is not null
)
update auth.users set last_sign_in_at = $3, updated_at = $3 where id = $2";

/// Stores a session, its first refresh token, how the user authenticated, the audit entry and
/// the time of sign-in in one statement.
pub(crate) async fn start(
    db: &impl Executor,
    session: &NewSession<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    let (audit_id, payload) = session
        .audit
        .as_ref()
        .map(|(id, payload)| (id, payload))
        .unzip();
    db.run(
        START,
        &[
            &session.id,
            &session.user_id,
            &now,
            &session.factor_id,
            &session.not_after,
            &session.user_agent,
            &session.ip,
            &session.tag,
            &session.hmac_key,
            &session.refresh_token,
            &Uuid::new_v4(),
            &session.method,
            &audit_id,
            &payload,
        ],
    )
    .await
}
