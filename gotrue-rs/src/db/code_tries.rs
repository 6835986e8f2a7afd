//! `_wildfire_auth.code_tries`: how often codes were guessed at.
//!
//! What is guessed at is kept as a digest, so that this table holds no token.

use jiff::{SignedDuration, Timestamp};
use platform::pg::{DbError, Executor, column};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::one_time_tokens::TokenType;

/// A stored token or a second factor, as it is counted here.
pub(crate) type Target = Vec<u8>;

/// The target that a stored token is.
pub(crate) fn of_token(token: &str) -> Target {
    Sha256::digest(token).to_vec()
}

const COUNT: &str = "-- _wildfire_auth.code_tries.count
insert into _wildfire_auth.code_tries as c (target, tries, since)
select distinct sha256(convert_to(t.token_hash, 'UTF8')), 1, $3::timestamptz
from auth.one_time_tokens as t
where t.relates_to = lower($1) and t.token_type::text = any ($2)
order by 1
on conflict (target) do update set tries = c.tries + 1
returning target, tries";

/// Counts a try at every code of these kinds that was sent to an address or number; those that
/// are still open, having been tried no more than `most` times by now. A code that was not
/// counted, whatever a column of `auth.users` still says, is not among them.
pub(crate) async fn count(
    db: &impl Executor,
    sent_to: &str,
    kinds: &[TokenType],
    most: i32,
    now: Timestamp,
) -> Result<Vec<Target>, DbError> {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    let mut open = Vec::new();
    for row in db.query(COUNT, &[&sent_to, &kinds, &now]).await? {
        if column::<i32>(&row, "tries")? <= most {
            open.push(column(&row, "target")?);
        }
    }
    Ok(open)
}

const COUNT_IN_WINDOW: &str = "-- _wildfire_auth.code_tries.count_in_window
insert into _wildfire_auth.code_tries as c (target, tries, since) values ($1, 1, $2)
on conflict (target) do update
set tries = case when c.since < $3 then 1 else c.tries + 1 end,
  since = case when c.since < $3 then excluded.since else c.since end
returning tries";

/// Counts a try at a second factor, whose codes come by themselves; the tries since the first
/// one within `window`.
pub(crate) async fn count_in_window(
    db: &impl Executor,
    factor_id: Uuid,
    window: SignedDuration,
    now: Timestamp,
) -> Result<i32, DbError> {
    let start = now.checked_sub(window).unwrap_or(Timestamp::MIN);
    let row = db
        .query_one(COUNT_IN_WINDOW, &[&of_factor(factor_id), &now, &start])
        .await?;
    column(&row, "tries")
}

fn of_factor(id: Uuid) -> Target {
    of_token(&format!("factor {id}"))
}

const FORGET: &str = "-- _wildfire_auth.code_tries.forget
delete from _wildfire_auth.code_tries where target = $1";

/// Forgets the tries at a second factor, which was met.
pub(crate) async fn forget(db: &impl Executor, factor_id: Uuid) -> Result<(), DbError> {
    db.run(FORGET, &[&of_factor(factor_id)]).await
}

const DELETE_OLD: &str = "-- _wildfire_auth.code_tries.delete_old
delete from _wildfire_auth.code_tries where since < $1";

/// Forgets the tries at codes that have expired by now.
pub(crate) async fn delete_old(db: &impl Executor, before: Timestamp) -> Result<(), DbError> {
    db.run(DELETE_OLD, &[&before]).await
}
