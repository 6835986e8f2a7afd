//! `_wildfire_auth.code_data`: what requests for a link or code said about whom it is for. A row counts
//! once exactly its token is redeemed, and goes with it.
//!
//! The token is kept as a digest, as in [`super::code_tries`].

use jiff::Timestamp;
use platform::pg::{DbError, Executor, column};
use uuid::Uuid;

use super::code_tries::of_token;
use crate::json::Document;

/// A token given out for an account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) stored: &'a str,
}

const INSERT: &str = "-- _wildfire_auth.code_data.insert
with void as (
  delete from _wildfire_auth.code_data where user_id = $1 and target not in ($2, $3)
)
insert into _wildfire_auth.code_data (user_id, target, data, since) values ($1, $2, $4, $5)
on conflict (user_id, target) do update set data = excluded.data, since = excluded.since";

/// Keeps what was said with the request for a token. Of the account's tokens from before, only
/// `previous` keeps its own: it is good again if the new one cannot be sent.
pub(crate) async fn insert(
    db: &impl Executor,
    token: Token<'_>,
    previous: &str,
    data: &Document,
    now: Timestamp,
) -> Result<(), DbError> {
    let (target, previous) = (of_token(token.stored), of_token(previous));
    db.run(INSERT, &[&token.user_id, &target, &previous, data, &now])
        .await
}

const OF_TOKEN: &str = "-- _wildfire_auth.code_data.of_token
select data from _wildfire_auth.code_data where user_id = $1 and target = $2";

/// What was said with the request for this token.
pub(crate) async fn said_with(db: &impl Executor, token: Token<'_>) -> Result<Document, DbError> {
    let params: platform::pg::Params<'_> = &[&token.user_id, &of_token(token.stored)];
    let row = db.query_opt(OF_TOKEN, params).await?;
    let said = row.as_ref().map(|row| column(row, "data")).transpose()?;
    Ok(said.unwrap_or_default())
}

const DELETE: &str = "-- _wildfire_auth.code_data.delete
delete from _wildfire_auth.code_data where user_id = $1 and target = $2";

/// Forgets what was said with the request for a token that is taken back.
pub(crate) async fn delete(db: &impl Executor, token: Token<'_>) -> Result<(), DbError> {
    let params: platform::pg::Params<'_> = &[&token.user_id, &of_token(token.stored)];
    db.run(DELETE, params).await
}

const DELETE_OLD: &str = "-- _wildfire_auth.code_data.delete_old
delete from _wildfire_auth.code_data where since < $1";

/// Forgets what was said with requests for codes that have expired by now.
pub(crate) async fn delete_old(db: &impl Executor, before: Timestamp) -> Result<(), DbError> {
    db.run(DELETE_OLD, &[&before]).await
}
