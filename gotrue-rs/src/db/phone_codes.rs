//! Codes sent to phones: a column of `auth.users` and a row of `auth.one_time_tokens`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use uuid::Uuid;

/// Where a code is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Confirmation,
    Recovery,
    Change,
    Reauthentication,
}

macro_rules! store {
    ($name:literal, $kind:literal, $assignments:literal) => {
        concat!(
            "-- auth.users.",
            $name,
            "
with noted as (
  update auth.users set ",
            $assignments,
            ", updated_at = $5 where id = $1
)
insert into auth.one_time_tokens
  (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
values ($2, $1, '",
            $kind,
            "', $3, lower($4), $5::timestamptz at time zone 'utc',
  $5::timestamptz at time zone 'utc')
on conflict (user_id, token_type) do update
set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
  created_at = excluded.created_at, updated_at = excluded.updated_at"
        )
    };
}

const STORE_CONFIRMATION: &str = store!(
    "store_phone_confirmation",
    "confirmation_token",
    "confirmation_token = $3, confirmation_sent_at = $5"
);

const STORE_RECOVERY: &str = store!(
    "store_phone_recovery",
    "recovery_token",
    "recovery_token = $3, recovery_sent_at = $5"
);

const STORE_CHANGE: &str = store!(
    "store_phone_change",
    "phone_change_token",
    "phone_change = $4, phone_change_token = $3, phone_change_sent_at = $5"
);

const STORE_REAUTHENTICATION: &str = store!(
    "store_phone_reauthentication",
    "reauthentication_token",
    "reauthentication_token = $3, reauthentication_sent_at = $5"
);

/// A code on its way.
#[derive(Debug)]
pub(crate) struct SentCode<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) phone: &'a str,
    pub(crate) hash: &'a str,
}

/// Stores the hash of a code; an older one for the same purpose is void.
pub(crate) async fn store(
    db: &impl Executor,
    column: Column,
    code: &SentCode<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = match column {
        Column::Confirmation => STORE_CONFIRMATION,
        Column::Recovery => STORE_RECOVERY,
        Column::Change => STORE_CHANGE,
        Column::Reauthentication => STORE_REAUTHENTICATION,
    };
    db.run(
        sql,
        &[
            &code.user_id,
            &Uuid::new_v4(),
            &code.hash,
            &code.phone,
            &now,
        ],
    )
    .await
}

const CONFIRM_CHANGE: &str = "-- auth.users.confirm_phone_change
with spent as (
  delete from auth.one_time_tokens where user_id = $1
), known as (
  update auth.identities
  set identity_data = jsonb_set(identity_data, '{phone}', to_jsonb($2::text)), updated_at = $3
  where provider_id = $1::uuid::text and provider = 'phone'
)
update auth.users
set phone = $2, phone_change = '', phone_change_token = '', phone_confirmed_at = $3,
  updated_at = $3
where id = $1";

/// Makes the pending number the user's own.
pub(crate) async fn confirm_change(
    db: &impl Executor,
    user_id: Uuid,
    phone: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(CONFIRM_CHANGE, &[&user_id, &phone, &now]).await
}
