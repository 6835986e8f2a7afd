//! Lists of users, for admins.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, FromRow, Row, column};
use serde::Serialize;
use uuid::Uuid;

use super::users::{User, user_columns};

/// Oldest or newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

/// Whom to list.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) aud: &'a str,
    /// Part of the address or of `full_name`; everybody if empty.
    pub(crate) filter: &'a str,
    pub(crate) order: Order,
}

/// The place of a user in the order, for the next page to start behind.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Cursor {
    pub(crate) created_at: Timestamp,
    pub(crate) id: Uuid,
}

macro_rules! wanted {
    () => {
        "u.instance_id = '00000000-0000-0000-0000-000000000000' and u.aud = $1
  and ($2 = '' or u.email like '%' || $2 || '%'
    or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')"
    };
}

macro_rules! page {
    ($name:literal, $direction:literal) => {
        concat!(
            "-- auth.users.",
            $name,
            "
select ",
            user_columns!(),
            "
from auth.users as u
where ",
            wanted!(),
            "
order by u.created_at ",
            $direction,
            "
limit $3 offset $4"
        )
    };
}

const OLDEST_FIRST: &str = page!("oldest_first", "asc");
const NEWEST_FIRST: &str = page!("newest_first", "desc");

const COUNT: &str = concat!(
    "-- auth.users.count
select count(*) as total
from auth.users as u
where ",
    wanted!()
);

/// A page of users, without their identities, and how many there are in all.
pub(crate) async fn page(
    db: &impl Executor,
    wanted: &Wanted<'_>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<User>, i64), DbError> {
    let statement = match wanted.order {
        Order::Ascending => OLDEST_FIRST,
        Order::Descending => NEWEST_FIRST,
    };
    let total = db.query_one(COUNT, &[&wanted.aud, &wanted.filter]).await?;
    let rows = db
        .query(statement, &[&wanted.aud, &wanted.filter, &limit, &offset])
        .await?;
    Ok((users(&rows)?, column(&total, "total")?))
}

macro_rules! after {
    ($name:literal, $direction:literal, $comparison:literal) => {
        concat!(
            "-- auth.users.",
            $name,
            "
select ",
            user_columns!(),
            "
from auth.users as u
where ",
            wanted!(),
            "
  and ($4::timestamptz is null or (u.created_at, u.id) ",
            $comparison,
            " ($4, $5::uuid))
order by u.created_at ",
            $direction,
            ", u.id ",
            $direction,
            "
limit $3"
        )
    };
}

const AFTER_OLDEST_FIRST: &str = after!("after_oldest_first", "asc", ">");
const AFTER_NEWEST_FIRST: &str = after!("after_newest_first", "desc", "<");

/// The users behind a place in the order.
pub(crate) async fn after(
    db: &impl Executor,
    wanted: &Wanted<'_>,
    cursor: Option<Cursor>,
    limit: i64,
) -> Result<Vec<User>, DbError> {
    let statement = match wanted.order {
        Order::Ascending => AFTER_OLDEST_FIRST,
        Order::Descending => AFTER_NEWEST_FIRST,
    };
    let (created_at, id) = cursor.map(|cursor| (cursor.created_at, cursor.id)).unzip();
    let params: platform::pg::Params<'_> = &[&wanted.aud, &wanted.filter, &limit, &created_at, &id];
    users(&db.query(statement, params).await?)
}

fn users(rows: &[Row]) -> Result<Vec<User>, DbError> {
    rows.iter().map(User::from_row).collect()
}
