//! Statements that change users. Each also stamps `updated_at`, in the row and in the value.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, FromRow, column};
use uuid::Uuid;

use super::User;
use crate::db::identities::micros;
use crate::db::{INSTANCE, filled};
use crate::json::Document;

const INSERT: &str = "-- auth.users.insert
insert into auth.users
  (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at,
   confirmation_token, recovery_token, email_change_token_new, email_change,
   raw_app_meta_data, raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at,
   phone_change, phone_change_token, email_change_token_current, email_change_confirm_status,
   banned_until, reauthentication_token, is_sso_user, is_anonymous)
values ($1, $2, $3, $4, $5, $6, $7, $8, '', '', '', '', $9, $10, $11, $11, $12, $13,
  '', '', '', 0, $14, '', $15, $16)";

/// Stores a new user and reads it back, because triggers may have changed it meanwhile.
pub(crate) async fn insert(
    db: &impl Executor,
    user: &User,
    now: Timestamp,
) -> Result<User, DbError> {
    db.execute(
        INSERT,
        &[
            &INSTANCE,
            &user.id,
            &user.aud,
            &user.role,
            &filled(&user.email),
            &user.encrypted_password,
            &user.email_confirmed_at,
            &user.invited_at,
            &user.app_metadata,
            &user.user_metadata,
            &now,
            &filled(&user.phone),
            &user.phone_confirmed_at,
            &user.banned_until,
            &user.is_sso_user,
            &user.is_anonymous,
        ],
    )
    .await?;
    let mut stored = reload(db, user.id).await?;
    stored.identities.clone_from(&user.identities);
    stored.factors.clone_from(&user.factors);
    Ok(stored)
}

const LOCK: &str = "-- auth.users.lock
select id from auth.users where id = $1 for no key update";

/// Waits until nobody else changes this user, and keeps others waiting until the transaction
/// ends.
pub(crate) async fn lock(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.query(LOCK, &[&id]).await?;
    Ok(())
}

const REMOVE_UNTOUCHED: &str = "-- auth.users.remove_untouched
with removed as (
  delete from auth.users as u
  where u.id = $1 and u.confirmation_token = $2 and u.email_confirmed_at is null
    and u.phone_confirmed_at is null and u.last_sign_in_at is null
    and not exists (select from auth.sessions as s where s.user_id = u.id)
  returning u.id
), flows as (
  delete from auth.flow_state as f using removed where f.user_id = removed.id
)
select id from removed";

/// Removes a user that nobody has confirmed, changed or used since this token was issued.
pub(crate) async fn remove_untouched(
    db: &impl Executor,
    id: Uuid,
    token: &str,
) -> Result<bool, DbError> {
    let removed = db.query_opt(REMOVE_UNTOUCHED, &[&id, &token]).await?;
    Ok(removed.is_some())
}

const RELOAD: &str = concat!(
    "-- auth.users.reload
select ",
    super::user_columns!(),
    "
from auth.users as u
where u.id = $1"
);

/// The row as it is now, without relations.
pub(crate) async fn reload(db: &impl Executor, id: Uuid) -> Result<User, DbError> {
    User::from_row(&db.query_one(RELOAD, &[&id]).await?)
}

const CONFIRM_EMAIL: &str = concat!(
    "-- auth.users.confirm_email
with spent as (
  delete from auth.one_time_tokens where user_id = $1
), vouched_for as (
  delete from _wildfire_auth.admin_accounts where user_id = $1
), said as (
  delete from _wildfire_auth.code_data where user_id = $1
)
update auth.users
set confirmation_token = '', email_confirmed_at = $2, updated_at = $2,
  raw_user_meta_data = ",
    crate::db::merged!("raw_user_meta_data", "$3"),
    "
where id = $1
returning raw_user_meta_data"
);

/// Marks the address as confirmed and voids every outstanding one-time token.
pub(crate) async fn confirm_email(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    let news = Document::default().with("email_verified", true);
    let row = db
        .query_one(CONFIRM_EMAIL, &[&user.id, &now, &news])
        .await?;
    user.confirmation_token.clear();
    user.email_confirmed_at = Some(now);
    user.user_metadata = column(&row, "raw_user_meta_data")?;
    user.updated_at = micros(now);
    Ok(())
}

const CONFIRM_PHONE: &str = "-- auth.users.confirm_phone
with spent as (
  delete from auth.one_time_tokens where user_id = $1
), vouched_for as (
  delete from _wildfire_auth.admin_accounts where user_id = $1
), said as (
  delete from _wildfire_auth.code_data where user_id = $1
)
update auth.users
set confirmation_token = '', phone_confirmed_at = $2, updated_at = $2
where id = $1";

/// Marks the phone number as confirmed and voids every outstanding one-time token.
pub(crate) async fn confirm_phone(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    user.confirmation_token.clear();
    user.phone_confirmed_at = Some(now);
    user.updated_at = micros(now);
    db.run(CONFIRM_PHONE, &[&user.id, &now]).await
}

const MERGE_METADATA: &str = concat!(
    "-- auth.users.merge_metadata
update auth.users
set raw_user_meta_data = ",
    crate::db::merged!("raw_user_meta_data", "$2"),
    ",
  raw_app_meta_data = ",
    crate::db::merged!("raw_app_meta_data", "$3"),
    ",
  updated_at = $4
where id = $1
returning raw_user_meta_data, raw_app_meta_data"
);

/// Lays changes over both metadata documents as they are in the row now; see
/// [`Document::merge`].
pub(crate) async fn merge_metadata(
    db: &impl Executor,
    user: &mut User,
    own: &Document,
    app: &Document,
    now: Timestamp,
) -> Result<(), DbError> {
    let row = db
        .query_one(MERGE_METADATA, &[&user.id, own, app, &now])
        .await?;
    user.user_metadata = column(&row, "raw_user_meta_data")?;
    user.app_metadata = column(&row, "raw_app_meta_data")?;
    user.updated_at = micros(now);
    Ok(())
}

const RENEW_USER_METADATA: &str = "-- auth.users.renew_user_metadata
update auth.users set raw_user_meta_data = $2, updated_at = $3 where id = $1";

/// Puts `fresh` where the user's own metadata was: nothing of it is to stay.
pub(crate) async fn renew_user_metadata(
    db: &impl Executor,
    user: &mut User,
    fresh: Document,
    now: Timestamp,
) -> Result<(), DbError> {
    db.execute(RENEW_USER_METADATA, &[&user.id, &fresh, &now])
        .await?;
    user.user_metadata = fresh;
    user.updated_at = micros(now);
    Ok(())
}

const REFRESH_PROVIDERS: &str = "-- auth.users.refresh_providers
with used as (
  select provider, min(created_at) as since from auth.identities
  where user_id = $1 group by provider
)
update auth.users
set raw_app_meta_data =
    (case jsonb_typeof(raw_app_meta_data) when 'object' then raw_app_meta_data else '{}' end)
    || coalesce(
      (select jsonb_build_object('provider', provider) from used order by since, provider limit 1),
      '{}')
    || (select jsonb_build_object(
        'providers', coalesce(jsonb_agg(provider order by since, provider), '[]')) from used),
  updated_at = $2
where id = $1
returning raw_app_meta_data";

/// Lists the account's providers in `app_metadata`, oldest first.
pub(crate) async fn refresh_providers(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    let row = db.query_one(REFRESH_PROVIDERS, &[&user.id, &now]).await?;
    user.app_metadata = column(&row, "raw_app_meta_data")?;
    user.updated_at = micros(now);
    Ok(())
}

const SET_PASSWORD: &str = "-- auth.users.set_password
with spent as (
  delete from auth.one_time_tokens where user_id = $1
), signed_out as (
  delete from auth.sessions where user_id = $1 and ($3::uuid is null or id <> $3)
)
update auth.users
set encrypted_password = $2, confirmation_token = '', confirmation_sent_at = null,
  recovery_token = '', recovery_sent_at = null, email_change_token_current = '',
  email_change_token_new = '', email_change_sent_at = null, phone_change_token = '',
  phone_change_sent_at = null, reauthentication_token = '', reauthentication_sent_at = null,
  updated_at = $4
where id = $1";

/// Stores a password's hash (without one there is no password any more), voids every pending
/// token and ends every session but the one given.
pub(crate) async fn set_password(
    db: &impl Executor,
    user: &mut User,
    hash: Option<&str>,
    kept_session: Option<Uuid>,
    now: Timestamp,
) -> Result<(), DbError> {
    db.execute(SET_PASSWORD, &[&user.id, &hash, &kept_session, &now])
        .await?;
    user.encrypted_password = hash.map(str::to_owned);
    for token in [
        &mut user.confirmation_token,
        &mut user.recovery_token,
        &mut user.email_change_token_current,
        &mut user.email_change_token_new,
        &mut user.phone_change_token,
        &mut user.reauthentication_token,
    ] {
        token.clear();
    }
    for sent_at in [
        &mut user.confirmation_sent_at,
        &mut user.recovery_sent_at,
        &mut user.email_change_sent_at,
        &mut user.phone_change_sent_at,
        &mut user.reauthentication_sent_at,
    ] {
        *sent_at = None;
    }
    user.updated_at = micros(now);
    Ok(())
}

const REPLACE_EMAIL: &str = concat!(
    "-- auth.users.replace_email
with spent as (
  delete from auth.one_time_tokens where user_id = $1
)
update auth.users
set email = $2, email_confirmed_at = case when $3 then email_confirmed_at end,
  raw_user_meta_data = ",
    crate::db::merged!("raw_user_meta_data", "$4"),
    ", confirmation_token = '',
  confirmation_sent_at = null, recovery_token = '', recovery_sent_at = null, email_change = '',
  email_change_token_current = '', email_change_token_new = '', email_change_sent_at = null,
  email_change_confirm_status = 0, phone_change = '', phone_change_token = '',
  phone_change_sent_at = null, reauthentication_token = '', reauthentication_sent_at = null,
  updated_at = $5
where id = $1"
);

/// Stores another address, which stays as confirmed as the old one was or counts as not
/// confirmed, and voids everything that was pending for the old one.
pub(crate) async fn replace_email(
    db: &impl Executor,
    id: Uuid,
    email: &str,
    stays_confirmed: bool,
    now: Timestamp,
) -> Result<(), DbError> {
    let mut news = Document::default();
    if !stays_confirmed {
        news = news.with("email_verified", false);
    }
    let params: platform::pg::Params<'_> = &[&id, &filled(email), &stays_confirmed, &news, &now];
    db.run(REPLACE_EMAIL, params).await
}

const REMOVE_PHONE: &str = "-- auth.users.remove_phone
update auth.users set phone = null, phone_confirmed_at = null, updated_at = $2 where id = $1";

/// Takes the phone number away.
pub(crate) async fn remove_phone(
    db: &impl Executor,
    id: Uuid,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(REMOVE_PHONE, &[&id, &now]).await
}

const CLEAR_PASSWORD: &str = "-- auth.users.clear_password
update auth.users set encrypted_password = null, updated_at = $2 where id = $1";

/// Removes a password that an unconfirmed account may have been given by somebody else.
pub(crate) async fn clear_password(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    user.encrypted_password = None;
    user.updated_at = micros(now);
    db.run(CLEAR_PASSWORD, &[&user.id, &now]).await
}

const BECOME_PERMANENT: &str = "-- auth.users.become_permanent
update auth.users set is_anonymous = false, updated_at = $2 where id = $1";

/// An anonymous user with a confirmed address is anonymous no longer.
pub(crate) async fn become_permanent(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    user.is_anonymous = false;
    user.updated_at = micros(now);
    db.run(BECOME_PERMANENT, &[&user.id, &now]).await
}

const CONFIRM_EMAIL_CHANGE: &str = "-- auth.users.confirm_email_change
with spent as (
  delete from auth.one_time_tokens where user_id = $1
)
update auth.users
set email = $2, email_change = '', email_change_token_current = '', email_change_token_new = '',
  email_change_confirm_status = 0, updated_at = $3
where id = $1";

/// Stores the address that was pending and voids every outstanding one-time token.
pub(crate) async fn confirm_email_change(
    db: &impl Executor,
    id: Uuid,
    email: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(CONFIRM_EMAIL_CHANGE, &[&id, &filled(email), &now])
        .await
}

const CONFIRM_REAUTHENTICATION: &str = "-- auth.users.confirm_reauthentication
with spent as (
  delete from auth.one_time_tokens where user_id = $1
)
update auth.users set reauthentication_token = '', updated_at = $2 where id = $1";

/// Spends the code of a reauthentication and voids every other one-time token.
pub(crate) async fn confirm_reauthentication(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    user.reauthentication_token.clear();
    user.updated_at = micros(now);
    db.run(CONFIRM_REAUTHENTICATION, &[&user.id, &now]).await
}
