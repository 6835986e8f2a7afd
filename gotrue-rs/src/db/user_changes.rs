//! Changes to `auth.users` by links, codes and admins. Mirrors upstream's
//! `internal/models/user.go`.

mod admin;
mod soft_delete;
mod start_over;

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use uuid::Uuid;

use super::identities::micros;
use super::one_time_tokens::TokenType;
use super::users::{User, user_with_relations, with_relations};

pub(crate) use admin::{AdminChange, Ban, apply, delete, set_email, set_phone};
pub(crate) use soft_delete::soft_delete;
pub(crate) use start_over::start_over;

const BY_PHONE_CHANGE: &str = concat!(
    "-- auth.users.by_phone_change
select ",
    user_with_relations!(),
    "
from auth.users as u
where u.instance_id = '00000000-0000-0000-0000-000000000000'
  and u.phone_change = $1 and u.aud = $2 and u.is_sso_user = false
limit 1"
);

/// The user about to change to this phone number.
pub(crate) async fn by_phone_change(
    db: &impl Executor,
    phone: &str,
    aud: &str,
) -> Result<Option<User>, DbError> {
    let row = db.query_opt(BY_PHONE_CHANGE, &[&phone, &aud]).await?;
    row.as_ref().map(with_relations).transpose()
}

const SPEND_RECOVERY: &str = "-- auth.users.spend_recovery
with spent as (
  delete from auth.one_time_tokens where user_id = $1
)
update auth.users set recovery_token = '', updated_at = $2 where id = $1";

/// Spends the token of a recovery and voids every other one-time token.
pub(crate) async fn spend_recovery(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    user.recovery_token.clear();
    user.updated_at = micros(now);
    db.run(SPEND_RECOVERY, &[&user.id, &now]).await
}

const HALF_CONFIRM_EMAIL_CHANGE: &str = "-- auth.users.half_confirm_email_change
with spent as (
  delete from auth.one_time_tokens where user_id = $1 and token_type::text = $2
)
update auth.users
set email_change_confirm_status = 1,
  email_change_token_current =
    case $2 when 'email_change_token_current' then '' else email_change_token_current end,
  email_change_token_new =
    case $2 when 'email_change_token_new' then '' else email_change_token_new end,
  updated_at = $3
where id = $1";

/// Notes the first of two confirmations and voids its token.
pub(crate) async fn half_confirm_email_change(
    db: &impl Executor,
    id: Uuid,
    spent: TokenType,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(HALF_CONFIRM_EMAIL_CHANGE, &[&id, &spent.as_str(), &now])
        .await
}
