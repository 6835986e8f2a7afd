//! `_wildfire_auth.mail_outbox`: mails that are stored but not known to be sent.

use jiff::{SignedDuration, Timestamp};
use platform::pg::{DbError, Executor, column};
use uuid::Uuid;

/// How long a sender has a mail for itself; longer than any attempt to send takes.
const LEASE: SignedDuration = SignedDuration::from_mins(1);

/// How many mails are taken up again at once.
const BATCH: i64 = 8;

fn lease_end(now: Timestamp) -> Timestamp {
    now.checked_add(LEASE).unwrap_or(Timestamp::MAX)
}

const INSERT: &str = "-- _wildfire_auth.mail_outbox.insert
insert into _wildfire_auth.mail_outbox (id, sealed, created_at, leased_until) values ($1, $2, $3, $4)";

/// Stores a mail that whoever stores it is about to send.
pub(crate) async fn insert(
    db: &impl Executor,
    id: Uuid,
    sealed: &[u8],
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(INSERT, &[&id, &sealed, &now, &lease_end(now)]).await
}

const DELETE: &str = "-- _wildfire_auth.mail_outbox.delete
delete from _wildfire_auth.mail_outbox where id = $1";

/// Forgets a mail: it is sent, or never will be.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}

const DELETE_ALL: &str = "-- _wildfire_auth.mail_outbox.delete_all
delete from _wildfire_auth.mail_outbox where id = any($1)";

/// Forgets these mails.
pub(crate) async fn delete_all(db: &impl Executor, ids: &[Uuid]) -> Result<(), DbError> {
    db.run(DELETE_ALL, &[&ids]).await
}

/// A mail whose sender died.
#[derive(Debug)]
pub(crate) struct LeftOver {
    pub(crate) id: Uuid,
    pub(crate) sealed: Vec<u8>,
    pub(crate) created_at: Timestamp,
    /// Whether that sender was the second one.
    pub(crate) was_second_try: bool,
}

const TAKE_UP: &str = "-- _wildfire_auth.mail_outbox.take_up
with left_over as (
  select id, is_second_try from _wildfire_auth.mail_outbox
  where leased_until < $1
  order by created_at
  limit $3
  for update skip locked
)
update _wildfire_auth.mail_outbox as m set leased_until = $2, is_second_try = true
from left_over
where m.id = left_over.id
returning m.id, m.sealed, m.created_at, left_over.is_second_try as was_second_try";

/// The oldest mails nobody is sending any longer; each goes to one caller only.
pub(crate) async fn take_up(db: &impl Executor, now: Timestamp) -> Result<Vec<LeftOver>, DbError> {
    let rows = db.query(TAKE_UP, &[&now, &lease_end(now), &BATCH]).await?;
    rows.iter()
        .map(|row| {
            Ok(LeftOver {
                id: column(row, "id")?,
                sealed: column(row, "sealed")?,
                created_at: column(row, "created_at")?,
                was_second_try: column(row, "was_second_try")?,
            })
        })
        .collect()
}
