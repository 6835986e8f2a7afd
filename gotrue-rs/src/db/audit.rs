//! Writing `auth.audit_log_entries`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use uuid::Uuid;

use super::INSTANCE;
use crate::audit::Entry;
use crate::json::Document;

const INSERT: &str = "-- auth.audit_log_entries.insert
insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select $1, e.id, e.payload, $4, $5
from unnest($2::uuid[], $3::json[]) as e (id, payload)";

/// Stores an event.
pub(crate) async fn insert(
    db: &impl Executor,
    entry: &Entry,
    now: Timestamp,
) -> Result<(), DbError> {
    insert_all(db, std::slice::from_ref(entry), now).await
}

/// Stores events that belong together.
pub(crate) async fn insert_all(
    db: &impl Executor,
    entries: &[Entry],
    now: Timestamp,
) -> Result<(), DbError> {
    let Some(first) = entries.first() else {
        return Ok(());
    };
    let (ids, payloads) = columns(entries);
    db.run(
        INSERT,
        &[&INSTANCE, &ids, &payloads, &now, &first.ip_address],
    )
    .await
}

const DELETE: &str = "-- auth.audit_log_entries.delete
delete from auth.audit_log_entries where id = $1";

/// Takes an event back that came to nothing.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}

/// Events as arrays, for `unnest` in a longer statement.
pub(crate) fn columns(entries: &[Entry]) -> (Vec<Uuid>, Vec<Document>) {
    entries
        .iter()
        .map(|entry| (entry.id, entry.payload.clone()))
        .unzip()
}
