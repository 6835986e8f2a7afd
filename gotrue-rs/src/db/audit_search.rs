//! Reading `auth.audit_log_entries`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, FromRow, Row, column};
use serde::Serialize;
use uuid::Uuid;

use crate::json::Document;

/// An entry as clients see it.
#[derive(Debug, Serialize)]
pub(crate) struct AuditEntry {
    id: Uuid,
    payload: Document,
    created_at: Timestamp,
    ip_address: String,
}

impl FromRow for AuditEntry {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: column(row, "id")?,
            payload: column::<Option<Document>>(row, "payload")?.unwrap_or_default(),
            created_at: column::<Option<Timestamp>>(row, "created_at")?.unwrap_or_default(),
            ip_address: column(row, "ip_address")?,
        })
    }
}

/// A part of the payload that can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Name or username of the actor.
    Author,
    Action,
    /// The group of actions.
    Type,
}

impl Scope {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Author => &["actor_username", "actor_name"],
            Self::Action => &["action"],
            Self::Type => &["log_type"],
        }
    }
}

/// What to look for and where in the result to start.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) scope: Option<Scope>,
    /// Part of the text; everything if empty.
    pub(crate) text: &'a str,
    pub(crate) limit: i64,
    pub(crate) offset: i64,
}

const FIND: &str = "-- auth.audit_log_entries.find
select a.id, a.payload, a.created_at, a.ip_address
from auth.audit_log_entries as a
where a.instance_id = '00000000-0000-0000-0000-000000000000'
  and ($2 = '' or exists (
    select from unnest($1::text[]) as field where a.payload ->> field ilike '%' || $2 || '%'
  ))
order by a.created_at desc
limit $3 offset $4";

const COUNT: &str = "-- auth.audit_log_entries.count
select count(*) as total
from auth.audit_log_entries as a
where a.instance_id = '00000000-0000-0000-0000-000000000000'
  and ($2 = '' or exists (
    select from unnest($1::text[]) as field where a.payload ->> field ilike '%' || $2 || '%'
  ))";

/// The entries asked for, newest first, and how many there are in all.
pub(crate) async fn find(
    db: &impl Executor,
    search: &Search<'_>,
) -> Result<(Vec<AuditEntry>, i64), DbError> {
    let fields = search.scope.map(Scope::fields).unwrap_or_default();
    let text = if fields.is_empty() { "" } else { search.text };
    let total = db.query_one(COUNT, &[&fields, &text]).await?;
    let rows = db
        .query(FIND, &[&fields, &text, &search.limit, &search.offset])
        .await?;
    let entries = rows
        .iter()
        .map(AuditEntry::from_row)
        .collect::<Result<_, _>>()?;
    Ok((entries, column(&total, "total")?))
}
