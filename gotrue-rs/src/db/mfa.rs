//! Writing `auth.mfa_factors` and `auth.mfa_challenges`. Mirrors upstream's
//! `internal/models/factor.go` and `challenge.go`.

use jiff::{SignedDuration, Timestamp};
use platform::pg::{DbError, Executor, column};
use uuid::Uuid;

const DELETE_EXPIRED: &str = "-- auth.mfa_factors.delete_expired
delete from auth.mfa_factors as f
where f.status <> 'verified' and f.created_at < $1
  and not exists (select from auth.mfa_challenges as c where c.factor_id = f.id)";

/// Removes factors nobody went on with, of all users.
pub(crate) async fn delete_expired(
    db: &impl Executor,
    life: SignedDuration,
    now: Timestamp,
) -> Result<(), DbError> {
    let before = now.checked_sub(life).unwrap_or(Timestamp::MIN);
    db.run(DELETE_EXPIRED, &[&before]).await
}

const INSERT_TOTP: &str = "-- auth.mfa_factors.insert_totp
insert into auth.mfa_factors
  (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
values ($1, $2, $3, 'totp', 'unverified', $5, $5, $4)";

/// An authenticator app about to be enrolled.
#[derive(Debug)]
pub(crate) struct NewTotp<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) friendly_name: &'a str,
    pub(crate) secret: &'a str,
}

/// Stores a factor.
pub(crate) async fn insert_totp(
    db: &impl Executor,
    factor: &NewTotp<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    let params: platform::pg::Params<'_> = &[
        &factor.id,
        &factor.user_id,
        &factor.friendly_name,
        &factor.secret,
        &now,
    ];
    db.run(INSERT_TOTP, params).await
}

const INSERT_CHALLENGE: &str = "-- auth.mfa_challenges.insert
with challenged as (
  update auth.mfa_factors set last_challenged_at = $4, updated_at = $4 where id = $2
)
insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
values ($1, $2, $4, $3::text::inet)";

/// Stores a challenge of a factor.
pub(crate) async fn insert_challenge(
    db: &impl Executor,
    id: Uuid,
    factor_id: Uuid,
    ip: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(INSERT_CHALLENGE, &[&id, &factor_id, &ip, &now])
        .await
}

/// A challenge and the secret that answers it.
#[derive(Debug)]
pub(crate) struct Challenge {
    pub(crate) id: Uuid,
    pub(crate) created_at: Timestamp,
    pub(crate) verified_at: Option<Timestamp>,
    pub(crate) ip: String,
    pub(crate) secret: String,
}

const CHALLENGE: &str = "-- auth.mfa_challenges.by_id
select c.id, c.created_at, c.verified_at, host(c.ip_address) as ip,
  coalesce(f.secret, '') as secret
from auth.mfa_challenges as c
join auth.mfa_factors as f on f.id = c.factor_id
where c.id = $1 and c.factor_id = $2";

/// A challenge of a factor.
pub(crate) async fn challenge(
    db: &impl Executor,
    id: Uuid,
    factor_id: Uuid,
) -> Result<Option<Challenge>, DbError> {
    let Some(row) = db.query_opt(CHALLENGE, &[&id, &factor_id]).await? else {
        return Ok(None);
    };
    Ok(Some(Challenge {
        id: column(&row, "id")?,
        created_at: column(&row, "created_at")?,
        verified_at: column(&row, "verified_at")?,
        ip: column(&row, "ip")?,
        secret: column(&row, "secret")?,
    }))
}

const DELETE_CHALLENGE: &str = "-- auth.mfa_challenges.delete
delete from auth.mfa_challenges where id = $1";

/// Removes a challenge that nobody answered in time.
pub(crate) async fn delete_challenge(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE_CHALLENGE, &[&id]).await
}

const PASS: &str = "-- auth.mfa_challenges.pass
with passed as (
  update auth.mfa_challenges set verified_at = $3
  where id = $1 and factor_id = $2 and verified_at is null
  returning factor_id
)
update auth.mfa_factors as f set status = 'verified', updated_at = $3
from passed where f.id = passed.factor_id";

/// Notes that a challenge was met and its factor thereby proved; `false` if it was met before.
pub(crate) async fn pass(
    db: &impl Executor,
    challenge_id: Uuid,
    factor_id: Uuid,
    now: Timestamp,
) -> Result<bool, DbError> {
    Ok(db.execute(PASS, &[&challenge_id, &factor_id, &now]).await? > 0)
}

const RENAME: &str = "-- auth.mfa_factors.rename
update auth.mfa_factors
set friendly_name = coalesce($2, friendly_name), phone = coalesce($3, phone), updated_at = $4
where id = $1";

/// Stores another name or number for a factor; what is `None` stays.
pub(crate) async fn rename(
    db: &impl Executor,
    id: Uuid,
    name: Option<&str>,
    phone: Option<&str>,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(RENAME, &[&id, &name, &phone, &now]).await
}

const UNENROLL: &str = "-- auth.mfa_factors.unenroll
with sunk as (
  update auth.sessions set aal = 'aal1', factor_id = null, updated_at = $4
  where user_id = $2 and factor_id = $1
  returning id
), forgotten as (
  delete from auth.mfa_amr_claims as c using sunk
  where c.session_id = sunk.id and c.authentication_method = $3
)
delete from auth.mfa_factors where id = $1";

/// Removes a factor; the sessions it raised sink back.
pub(crate) async fn unenroll(
    db: &impl Executor,
    factor_id: Uuid,
    user_id: Uuid,
    method: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(UNENROLL, &[&factor_id, &user_id, &method, &now])
        .await
}

const RAISE: &str = "-- auth.sessions.raise
with authenticated as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  values ($1, $2, $8, $8, $3)
  on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at
), newest as (
  select t.id, t.token, t.user_id
  from auth.refresh_tokens as t
  where t.session_id = $2 and t.revoked = false and $6::text is not null
  order by t.created_at
  limit 1
  for update
), spent as (
  update auth.refresh_tokens as t set revoked = true, updated_at = $8
  from newest where t.id = newest.id
), issued as (
  insert into auth.refresh_tokens
    (instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', $6::text, newest.user_id, newest.token, $2,
    false, $8, $8
  from newest
  returning id
), others as (
  delete from auth.sessions where user_id = $4 and aal < 'aal2' and id <> $2
), leftovers as (
  delete from auth.mfa_factors
  where user_id = $4 and status = 'unverified' and factor_type = $9::text::auth.factor_type
)
update auth.sessions
set aal = 'aal2', factor_id = $5, refresh_token_counter = coalesce($7, refresh_token_counter),
  updated_at = $8
where id = $2 and ($6::text is null or (select count(*) from issued) > 0)";

/// A session about to be raised by a second factor.
#[derive(Debug)]
pub(crate) struct Raise<'a> {
    pub(crate) session_id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) factor_id: Uuid,
    pub(crate) factor_type: &'a str,
    pub(crate) method: &'a str,
    /// The next refresh token of version 1.
    pub(crate) child: Option<&'a str>,
    /// The next counter of version 2.
    pub(crate) counter: Option<i64>,
}

/// Raises a session, ends the user's other sessions that were not raised, and removes factors
/// of the kind that were never verified. `false` if the session has no token to go on with.
pub(crate) async fn raise(
    db: &impl Executor,
    raise: &Raise<'_>,
    now: Timestamp,
) -> Result<bool, DbError> {
    let params: platform::pg::Params<'_> = &[
        &Uuid::new_v4(),
        &raise.session_id,
        &raise.method,
        &raise.user_id,
        &raise.factor_id,
        &raise.child,
        &raise.counter,
        &now,
        &raise.factor_type,
    ];
    Ok(db.execute(RAISE, params).await? > 0)
}
