//! Figures for the dashboard.

use platform::pg::{DbError, FromRow, Row, Session, column};
use uuid::Uuid;

/// What a user has and has done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overview {
    pub(crate) prompts: i64,
    pub(crate) versions: i64,
    pub(crate) calls: i64,
    pub(crate) duration_ms: f64,
}

impl FromRow for Overview {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            prompts: column(row, "prompts")?,
            versions: column(row, "versions")?,
            calls: column(row, "calls")?,
            duration_ms: column(row, "duration_ms")?,
        })
    }
}

const OVERVIEW: &str = "-- wildfire.prompts.overview
select owned.prompts, owned.versions, used.calls, used.duration_ms
from (
  select count(*) as prompts, coalesce(sum(p.version), 0)::bigint as versions
  from wildfire.repositories as r
  join wildfire.prompts as p on p.repository_id = r.id
  where r.organization_id = any ((select wildfire_private.readable_organizations())::uuid[])
    and not p.is_archived
) as owned
cross join (
  select coalesce(sum(u.calls), 0)::bigint as calls, coalesce(sum(u.duration_ms), 0) as duration_ms
  from wildfire.api_usage as u
  where u.user_id = $1 and u.day > (now() at time zone 'utc')::date - 30
) as used";

/// Prompts in the user's organizations, and their calls of the last 30 days.
pub(crate) async fn overview(session: Session<'_>, user: Uuid) -> Result<Overview, DbError> {
    let rows = session.query(OVERVIEW, &[&user]).await?;
    let empty = Overview {
        prompts: 0,
        versions: 0,
        calls: 0,
        duration_ms: 0.0,
    };
    rows.first().map_or(Ok(empty), Overview::from_row)
}
