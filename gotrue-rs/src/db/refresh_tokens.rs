//! `auth.refresh_tokens` and what refreshing a session reads and writes.
//!
//! A refresh reads a snapshot without locks, decides, and then writes everything in one
//! statement that first takes the token and the session row if nobody else holds them and
//! nothing has changed since the snapshot. Mirrors the `FOR UPDATE SKIP LOCKED` reads of
//! upstream's `internal/models/user.go`, `refresh_token.go` and `sessions.go`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, Json, Row, column};
use serde::Deserialize;
use uuid::Uuid;

use super::audit;
use super::sessions::{Session, session_object};
use super::users::{User, user_with_relations, with_relations};
use crate::audit::Entry;

/// A refresh token of version 1.
#[derive(Debug, Clone)]
pub(crate) struct RefreshToken {
    pub(crate) id: i64,
    pub(crate) token: String,
    pub(crate) revoked: bool,
    pub(crate) updated_at: Timestamp,
    /// The token of the session that is not revoked, read only if this one is.
    pub(crate) active: Option<ActiveToken>,
}

/// The newest token of a session that still works.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ActiveToken {
    pub(crate) token: String,
    pub(crate) parent: String,
}

/// Everything a refresh needs to know.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) user: User,
    /// `None` for version 2, whose tokens are not rows.
    pub(crate) token: Option<RefreshToken>,
    pub(crate) session: Option<Session>,
}

const SNAPSHOT_V1: &str = concat!(
    "-- auth.refresh_tokens.snapshot
select t.id as token_id, t.token, coalesce(t.revoked, false) as revoked,
  coalesce(t.updated_at, 'epoch') as token_updated_at,
  case when t.revoked then (
    select json_build_object('token', a.token, 'parent', coalesce(a.parent, ''))
    from auth.refresh_tokens as a
    where a.session_id = t.session_id and a.revoked is false
    order by a.id desc
    limit 1) end as active,
  (select ",
    session_object!(),
    "
  from auth.sessions as s where s.id = t.session_id) as session,
  ",
    user_with_relations!(),
    "
from auth.refresh_tokens as t
join auth.users as u on u.id = t.user_id::uuid
where t.token = $1 and u.instance_id = '00000000-0000-0000-0000-000000000000'"
);

/// What belongs to a token of version 1.
pub(crate) async fn snapshot(db: &impl Executor, token: &str) -> Result<Option<Snapshot>, DbError> {
    let Some(row) = db.query_opt(SNAPSHOT_V1, &[&token]).await? else {
        return Ok(None);
    };
    let token = RefreshToken {
        id: column(&row, "token_id")?,
        token: column(&row, "token")?,
        revoked: column(&row, "revoked")?,
        updated_at: column(&row, "token_updated_at")?,
        active: column::<Option<Json<ActiveToken>>>(&row, "active")?.map(|active| active.0),
    };
    Ok(Some(Snapshot {
        user: with_relations(&row)?,
        token: Some(token),
        session: session(&row)?,
    }))
}

const SNAPSHOT_V2: &str = concat!(
    "-- auth.sessions.snapshot
select ",
    session_object!(),
    " as session,
  ",
    user_with_relations!(),
    "
from auth.sessions as s
join auth.users as u on u.id = s.user_id
where s.id = $1 and u.instance_id = '00000000-0000-0000-0000-000000000000'"
);

/// What belongs to a session whose tokens are of version 2.
pub(crate) async fn snapshot_of_session(
    db: &impl Executor,
    session_id: Uuid,
) -> Result<Option<Snapshot>, DbError> {
    let Some(row) = db.query_opt(SNAPSHOT_V2, &[&session_id]).await? else {
        return Ok(None);
    };
    Ok(Some(Snapshot {
        user: with_relations(&row)?,
        token: None,
        session: session(&row)?,
    }))
}

fn session(row: &Row) -> Result<Option<Session>, DbError> {
    Ok(column::<Option<Json<Session>>>(row, "session")?.map(|session| session.0))
}

/// The use of a session: when, from where, and the events to store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) now: Timestamp,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) ip: Option<&'a str>,
    pub(crate) entries: &'a [Entry],
}

/// What a refresh changes besides the session's last use.
#[derive(Debug)]
pub(crate) struct Rotation<'a> {
    /// The new token of version 1; `None` hands out the active one again.
    pub(crate) child: Option<&'a str>,
    /// Whether the new token is spent at once, because one of version 2 replaces it.
    pub(crate) child_revoked: bool,
    /// Key and counter of version 2, where they change.
    pub(crate) hmac_key: Option<&'a str>,
    pub(crate) counter: Option<i64>,
}

const ROTATE_V1: &str = "-- auth.refresh_tokens.rotate
with held as (
  select t.id as token_id, t.token, t.user_id, s.id as session_id
  from auth.refresh_tokens as t
  join auth.sessions as s on s.id = t.session_id
  where t.id = $1 and coalesce(t.revoked, false) = $2
    and coalesce(t.updated_at, 'epoch') = $3 and s.id = $4
    and (s.refreshed_at at time zone 'utc') is not distinct from $5::timestamptz
  for update of t, s skip locked
), spent as (
  update auth.refresh_tokens as t set revoked = true, updated_at = $6
  from held where t.id = held.token_id and $7::text is not null
), issued as (
  insert into auth.refresh_tokens
    (instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', $7::text, held.user_id, held.token,
    held.session_id, $8, $6, $6
  from held where $7::text is not null
), refreshed as (
  update auth.sessions as s
  set refreshed_at = $6::timestamptz at time zone 'utc', user_agent = $9, ip = $10::text::inet,
    refresh_token_hmac_key = coalesce($11, s.refresh_token_hmac_key),
    refresh_token_counter = coalesce($12, s.refresh_token_counter), updated_at = $6
  from held where s.id = held.session_id
), stamped as (
  update auth.users as u set updated_at = $6
  from held where u.id = held.user_id::uuid and $7::text is not null
), logged as (
  insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', e.id, e.payload, $6, ''
  from held cross join unnest($13::uuid[], $14::json[]) as e (id, payload)
)
select token_id from held";

/// Refreshes a session by a token of version 1. `false` means that a concurrent refresh holds
/// the rows or came first.
pub(crate) async fn rotate(
    db: &impl Executor,
    token: &RefreshToken,
    session: &Session,
    rotation: &Rotation<'_>,
    by: Use<'_>,
) -> Result<bool, DbError> {
    let (ids, payloads) = audit::columns(by.entries);
    let row = db
        .query_opt(
            ROTATE_V1,
            &[
                &token.id,
                &token.revoked,
                &token.updated_at,
                &session.id,
                &session.refreshed_at,
                &by.now,
                &rotation.child,
                &rotation.child_revoked,
                &by.user_agent,
                &by.ip,
                &rotation.hmac_key,
                &rotation.counter,
                &ids,
                &payloads,
            ],
        )
        .await?;
    Ok(row.is_some())
}

const REVOKE_FAMILY: &str = "-- auth.refresh_tokens.revoke_family
with held as (
  select t.id, s.id as session_id
  from auth.refresh_tokens as t
  join auth.sessions as s on s.id = t.session_id
  where t.id = $1 and t.revoked and coalesce(t.updated_at, 'epoch') = $2 and s.id = $3
    and (s.refreshed_at at time zone 'utc') is not distinct from $4::timestamptz
  for update of t, s skip locked
), revoked as (
  update auth.refresh_tokens as t set revoked = true, updated_at = $5
  from held where $6 and t.session_id = held.session_id and t.revoked = false
)
select id from held";

/// Answers the reuse of a spent token: with `everything`, no token of its session works any
/// longer. `false` means that a concurrent refresh holds the rows or came first.
pub(crate) async fn revoke_family(
    db: &impl Executor,
    token: &RefreshToken,
    session: &Session,
    everything: bool,
    now: Timestamp,
) -> Result<bool, DbError> {
    let params: platform::pg::Params<'_> = &[
        &token.id,
        &token.updated_at,
        &session.id,
        &session.refreshed_at,
        &now,
        &everything,
    ];
    Ok(db.query_opt(REVOKE_FAMILY, params).await?.is_some())
}

const ADVANCE_V2: &str = "-- auth.sessions.advance
with held as (
  select s.id
  from auth.sessions as s
  where s.id = $1 and s.refresh_token_counter = $2
    and (s.refreshed_at at time zone 'utc') is not distinct from $3::timestamptz
  for update skip locked
), refreshed as (
  update auth.sessions as s
  set refreshed_at = $4::timestamptz at time zone 'utc', user_agent = $5, ip = $6::text::inet,
    refresh_token_counter = $7, updated_at = $4
  from held where s.id = held.id
), logged as (
  insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', e.id, e.payload, $4, ''
  from held cross join unnest($8::uuid[], $9::json[]) as e (id, payload)
)
select id from held";

/// Refreshes a session by a token of version 2, leaving the counter at `counter`. `false` means
/// that a concurrent refresh holds the row or came first.
pub(crate) async fn advance(
    db: &impl Executor,
    session: &Session,
    counter: i64,
    by: Use<'_>,
) -> Result<bool, DbError> {
    let (ids, payloads) = audit::columns(by.entries);
    let row = db
        .query_opt(
            ADVANCE_V2,
            &[
                &session.id,
                &session.refresh_token_counter,
                &session.refreshed_at,
                &by.now,
                &by.user_agent,
                &by.ip,
                &counter,
                &ids,
                &payloads,
            ],
        )
        .await?;
    Ok(row.is_some())
}

const END_V2: &str = "-- auth.sessions.end
with held as (
  select s.id
  from auth.sessions as s
  where s.id = $1 and s.refresh_token_counter = $2
  for update skip locked
), ended as (
  delete from auth.sessions as s using held where s.id = held.id and $3
)
select id from held";

/// Answers the reuse of a spent token of version 2: with `everything`, the session is gone.
pub(crate) async fn end_session(
    db: &impl Executor,
    session: &Session,
    everything: bool,
) -> Result<bool, DbError> {
    let params: platform::pg::Params<'_> =
        &[&session.id, &session.refresh_token_counter, &everything];
    Ok(db.query_opt(END_V2, params).await?.is_some())
}

const DELETE: &str = "-- auth.refresh_tokens.delete
delete from auth.refresh_tokens where id = $1";

/// Removes a token that has no session.
pub(crate) async fn delete(db: &impl Executor, id: i64) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}

const LOCK_USER: &str = "-- auth.users.lock
select id from auth.users where id = $1 for update skip locked";

/// Takes a user's row, so that its sessions are refreshed one at a time; `false` if somebody
/// else holds it.
pub(crate) async fn lock_user(db: &impl Executor, user_id: Uuid) -> Result<bool, DbError> {
    Ok(db.query_opt(LOCK_USER, &[&user_id]).await?.is_some())
}
