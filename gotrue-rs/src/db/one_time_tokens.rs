//! `auth.one_time_tokens`: the tokens of links, one per user and purpose.
//!
//! Mirrors upstream's `internal/models/one_time_token.go`. Every token is also kept in a column
//! of `auth.users`, where codes are looked up; both are written in one statement. The table's
//! times are UTC without a zone.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, column};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::named::named;

/// Who gets a token, and the address or number it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holder<'a> {
    pub(crate) id: Uuid,
    pub(crate) relates_to: &'a str,
}

/// A token that is one column of the user beside its row here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SimpleToken {
    Confirmation,
    /// A confirmation that somebody was invited to.
    Invitation,
    Recovery,
    Reauthentication,
}

macro_rules! issue {
    ($name:literal, $more:literal) => {
        concat!(
            "-- auth.one_time_tokens.issue_",
            $name,
            "
with holder as (
  update auth.users
  set ",
            $name,
            "_token = $2, ",
            $name,
            "_sent_at = $3, updated_at = $3",
            $more,
            "
  where id = $1
)
insert into auth.one_time_tokens
  (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
values ($5, $1, '",
            $name,
            "_token', $2, $4, $3 at time zone 'UTC', $3 at time zone 'UTC')
on conflict (user_id, token_type) do update
set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
  created_at = excluded.created_at, updated_at = excluded.updated_at"
        )
    };
}

const ISSUE_CONFIRMATION: &str = issue!("confirmation", "");
const ISSUE_INVITATION: &str = issue!("confirmation", ", invited_at = $3");
const ISSUE_RECOVERY: &str = issue!("recovery", "");
const ISSUE_REAUTHENTICATION: &str = issue!("reauthentication", "");

/// Stores a token.
pub(crate) async fn issue(
    db: &impl Executor,
    kind: SimpleToken,
    holder: Holder<'_>,
    token: &str,
    at: Timestamp,
) -> Result<(), DbError> {
    let sql = match kind {
        SimpleToken::Confirmation => ISSUE_CONFIRMATION,
        SimpleToken::Invitation => ISSUE_INVITATION,
        SimpleToken::Recovery => ISSUE_RECOVERY,
        SimpleToken::Reauthentication => ISSUE_REAUTHENTICATION,
    };
    let relates_to = holder.relates_to.to_lowercase();
    let params: platform::pg::Params<'_> = &[&holder.id, &token, &at, &relates_to, &Uuid::new_v4()];
    db.run(sql, params).await
}

/// A pending change of address; `current` is empty where only the new address confirms.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EmailChange {
    pub(crate) new_email: String,
    pub(crate) current: String,
    pub(crate) new: String,
}

const ISSUE_EMAIL_CHANGE: &str = "-- auth.one_time_tokens.issue_email_change
with holder as (
  update auth.users
  set email_change = $2, email_change_token_current = $3, email_change_token_new = $4,
    email_change_sent_at = $5, email_change_confirm_status = 0, updated_at = $5
  where id = $1
), tokens (id, token_type, token_hash, relates_to) as (
  values
    ($6::uuid, 'email_change_token_current'::auth.one_time_token_type, $3, $8::text),
    ($7::uuid, 'email_change_token_new'::auth.one_time_token_type, $4, lower($2))
)
insert into auth.one_time_tokens
  (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
select id, $1, token_type, token_hash, relates_to,
  $5 at time zone 'UTC', $5 at time zone 'UTC'
from tokens
where token_hash <> ''
on conflict (user_id, token_type) do update
set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
  created_at = excluded.created_at, updated_at = excluded.updated_at";

/// Stores the tokens of a change of address.
pub(crate) async fn issue_email_change(
    db: &impl Executor,
    holder: Holder<'_>,
    change: &EmailChange,
    at: Timestamp,
) -> Result<(), DbError> {
    let relates_to = holder.relates_to.to_lowercase();
    let params: platform::pg::Params<'_> = &[
        &holder.id,
        &change.new_email,
        &change.current,
        &change.new,
        &at,
        &Uuid::new_v4(),
        &Uuid::new_v4(),
        &relates_to,
    ];
    db.run(ISSUE_EMAIL_CHANGE, params).await
}

/// What a user's row said before a token was issued; `token` and `sent_at` are of its kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Before {
    pub(crate) token: String,
    pub(crate) sent_at: Option<Timestamp>,
    pub(crate) invited_at: Option<Timestamp>,
    pub(crate) email_change: String,
    pub(crate) email_change_token_current: String,
    pub(crate) email_change_confirm_status: i16,
}

macro_rules! take_back {
    ($name:literal, $more:literal) => {
        concat!(
            "-- auth.one_time_tokens.take_back_",
            $name,
            "
with holder as (
  update auth.users set ",
            $name,
            "_token = $3, ",
            $name,
            "_sent_at = $4",
            $more,
            "
  where id = $1 and ",
            $name,
            "_token = $2
  returning id
), restored as (
  update auth.one_time_tokens as t set token_hash = $3
  from holder
  where t.user_id = holder.id and t.token_type = '",
            $name,
            "_token' and t.token_hash = $2 and $3 <> ''
)
delete from auth.one_time_tokens as t
using holder
where t.user_id = holder.id and t.token_type = '",
            $name,
            "_token' and t.token_hash = $2 and $3 = ''"
        )
    };
}

const TAKE_BACK_CONFIRMATION: &str = take_back!("confirmation", ", invited_at = $5");
const TAKE_BACK_RECOVERY: &str = take_back!("recovery", "");
const TAKE_BACK_REAUTHENTICATION: &str = take_back!("reauthentication", "");

/// Puts the token of before back in the place of this one, if it is still there.
pub(crate) async fn take_back(
    db: &impl Executor,
    kind: SimpleToken,
    user_id: Uuid,
    issued: &str,
    before: &Before,
) -> Result<(), DbError> {
    let params: platform::pg::Params<'_> = &[
        &user_id,
        &issued,
        &before.token,
        &before.sent_at,
        &before.invited_at,
    ];
    match kind {
        SimpleToken::Confirmation | SimpleToken::Invitation => {
            db.execute(TAKE_BACK_CONFIRMATION, params).await?
        }
        SimpleToken::Recovery => db.execute(TAKE_BACK_RECOVERY, &params[..4]).await?,
        SimpleToken::Reauthentication => {
            db.execute(TAKE_BACK_REAUTHENTICATION, &params[..4]).await?
        }
    };
    Ok(())
}

const TAKE_BACK_EMAIL_CHANGE: &str = "-- auth.one_time_tokens.take_back_email_change
with holder as (
  update auth.users
  set email_change = $4, email_change_token_new = $5, email_change_token_current = $6,
    email_change_sent_at = $7, email_change_confirm_status = $8
  where id = $1 and email_change_token_new = $2
  returning id
), old (token_type, issued, token_hash, relates_to) as (
  values
    ('email_change_token_new', $2::text, $5::text, lower($4::text)),
    ('email_change_token_current', $3::text, $6::text, null)
), restored as (
  update auth.one_time_tokens as t
  set token_hash = old.token_hash, relates_to = coalesce(old.relates_to, t.relates_to)
  from holder, old
  where t.user_id = holder.id and t.token_type::text = old.token_type
    and t.token_hash = old.issued and old.token_hash <> ''
)
delete from auth.one_time_tokens as t
using holder, old
where t.user_id = holder.id and t.token_type::text = old.token_type
  and t.token_hash = old.issued and old.token_hash = ''";

/// Puts the change of address of before back in the place of the one of these tokens (new and
/// current), if it is still there.
pub(crate) async fn take_back_email_change(
    db: &impl Executor,
    user_id: Uuid,
    (new, current): (&str, &str),
    before: &Before,
) -> Result<(), DbError> {
    let params: platform::pg::Params<'_> = &[
        &user_id,
        &new,
        &current,
        &before.email_change,
        &before.token,
        &before.email_change_token_current,
        &before.sent_at,
        &before.email_change_confirm_status,
    ];
    db.run(TAKE_BACK_EMAIL_CHANGE, params).await
}

named! {
    /// What a token is for.
    pub(crate) enum TokenType {
        Confirmation = "confirmation_token",
        Recovery = "recovery_token",
        EmailChangeCurrent = "email_change_token_current",
        EmailChangeNew = "email_change_token_new",
        PhoneChange = "phone_change_token",
        Reauthentication = "reauthentication_token",
    }
}

const TAKE_TURNS: &str = "-- auth.one_time_tokens.take_turns
select pg_advisory_xact_lock(hashtextextended('auth.one_time_tokens ' || $1, 0))";

/// Lets only one transaction at a time redeem a token, so that the second one finds it spent.
///
/// Upstream: two requests at the same instant both succeed.
pub(crate) async fn take_turns(db: &impl Executor, token_hash: &str) -> Result<(), DbError> {
    db.query(TAKE_TURNS, &[&token_hash]).await?;
    Ok(())
}

const HOLDER: &str = "-- auth.one_time_tokens.holder
select user_id from auth.one_time_tokens
where token_hash = $1 and token_type::text = any ($2)
limit 1";

/// Whose token this is.
pub(crate) async fn holder(
    db: &impl Executor,
    token_hash: &str,
    types: &[TokenType],
) -> Result<Option<Uuid>, DbError> {
    let types: Vec<&str> = types.iter().map(|token_type| token_type.as_str()).collect();
    let row = db.query_opt(HOLDER, &[&token_hash, &types]).await?;
    row.as_ref().map(|row| column(row, "user_id")).transpose()
}

const HOLDER_OF_EMAIL_CHANGE: &str = "-- auth.one_time_tokens.holder_of_email_change
select u.id from auth.one_time_tokens as t
join auth.users as u on u.id = t.user_id
where t.token_hash in ($2, 'pkce_' || $2)
  and (
    (t.token_type = 'email_change_token_new' and lower(u.email_change) = $1)
    or (t.token_type = 'email_change_token_current' and $4 and lower(u.email) = $1)
  )
  and u.aud = $3
limit 1";

/// Whose change of address this code confirms: the code was sent to the new address or, where
/// both must confirm, to the current one.
pub(crate) async fn holder_of_email_change(
    db: &impl Executor,
    email: &str,
    token_hash: &str,
    aud: &str,
    both: bool,
) -> Result<Option<Uuid>, DbError> {
    let row = db
        .query_opt(
            HOLDER_OF_EMAIL_CHANGE,
            &[&email.to_lowercase(), &token_hash, &aud, &both],
        )
        .await?;
    row.as_ref().map(|row| column(row, "id")).transpose()
}
