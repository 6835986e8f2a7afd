//! What an admin may set.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use uuid::Uuid;

use crate::db::filled;

/// What becomes of a user's ban.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Ban {
    #[default]
    Unchanged,
    Lifted,
    Until(Timestamp),
}

impl Ban {
    /// The end of the ban as it is stored, given what it was.
    pub(crate) fn end(self, before: Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::Unchanged => before,
            Self::Lifted => None,
            Self::Until(end) => Some(end),
        }
    }
}

/// The columns an admin changes, in one statement; what is `None` stays.
#[derive(Debug, Default)]
pub(crate) struct AdminChange<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) ban: Ban,
}

const APPLY: &str = "-- auth.users.apply
update auth.users
set role = coalesce($2, role), banned_until = case when $3 then $4 else banned_until end,
  updated_at = $5
where id = $1";

/// Stores role and ban.
pub(crate) async fn apply(
    db: &impl Executor,
    id: Uuid,
    change: &AdminChange<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    let bans = change.ban != Ban::Unchanged;
    let until = change.ban.end(None);
    db.run(APPLY, &[&id, &change.role, &bans, &until, &now])
        .await
}

const SET_EMAIL: &str = "-- auth.users.set_email
update auth.users set email = $2, updated_at = $3 where id = $1";

/// Stores the address.
pub(crate) async fn set_email(
    db: &impl Executor,
    id: Uuid,
    email: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(SET_EMAIL, &[&id, &filled(email), &now]).await
}

const SET_PHONE: &str = "-- auth.users.set_phone_number
update auth.users set phone = $2, updated_at = $3 where id = $1";

/// Stores the phone number.
pub(crate) async fn set_phone(
    db: &impl Executor,
    id: Uuid,
    phone: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(SET_PHONE, &[&id, &filled(phone), &now]).await
}

const DELETE: &str = "-- auth.users.delete
with vouched_for as (
  delete from _wildfire_auth.admin_accounts where user_id = $1
), said as (
  delete from _wildfire_auth.code_data where user_id = $1
)
delete from auth.users where id = $1";

/// Deletes a user with everything that belongs to it.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}
