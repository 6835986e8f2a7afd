//! `_wildfire_auth.admin_accounts`: unconfirmed accounts whose content an admin vouches for. A row goes
//! with the account's first confirmation, which is what it is kept for.

use platform::pg::{DbError, Executor};
use uuid::Uuid;

const INSERT: &str = "-- _wildfire_auth.admin_accounts.insert
insert into _wildfire_auth.admin_accounts (user_id) values ($1) on conflict do nothing";

/// Notes that what is in the account is an admin's word.
pub(crate) async fn insert(db: &impl Executor, user_id: Uuid) -> Result<(), DbError> {
    db.run(INSERT, &[&user_id]).await
}

const CONTAINS: &str = "-- _wildfire_auth.admin_accounts.contains
select from _wildfire_auth.admin_accounts where user_id = $1";

/// Whether an admin opened the account and nobody has confirmed it.
pub(crate) async fn contains(db: &impl Executor, user_id: Uuid) -> Result<bool, DbError> {
    Ok(db.query_opt(CONTAINS, &[&user_id]).await?.is_some())
}

const DELETE: &str = "-- _wildfire_auth.admin_accounts.delete
delete from _wildfire_auth.admin_accounts where user_id = $1";

/// Notes that what is in the account may be anybody's word.
pub(crate) async fn delete(db: &impl Executor, user_id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&user_id]).await
}
