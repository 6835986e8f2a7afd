//! Reads of versions.

use platform::pg::{DbError, FromRow, Json, Row, Session, column};
use serde_json::value::RawValue;

use super::PAGE_BYTES;
use crate::prompts::VersionBody;

/// A row of `prompt_versions`.
pub(crate) struct StoredVersion(Row);

impl StoredVersion {
    /// The version as it is answered.
    pub(crate) fn body(&self) -> Result<VersionBody<'_>, DbError> {
        let row = &self.0;
        let Json(metadata) = column::<Json<&RawValue>>(row, "metadata")?;
        Ok(VersionBody {
            id: column(row, "id")?,
            version: column(row, "version")?,
            template: column(row, "template")?,
            content_hash: column(row, "content_hash")?,
            created_at: column(row, "created_at")?,
            metadata,
        })
    }
}

/// One page of versions.
pub(crate) struct Page {
    /// How many there are in all.
    pub(crate) total: i32,
    pub(crate) versions: Vec<StoredVersion>,
}

/// How many versions a prompt has.
struct Total(i32);

impl FromRow for Total {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self(column(row, "total")?))
    }
}

const LIST: &str = "-- wildfire.prompt_versions.list
with page as (
  select v.id, v.version, v.template, v.content_hash, v.created_at, v.metadata,
    coalesce(sum(octet_length(v.template) + pg_column_size(v.metadata)) over (
      order by v.version desc rows between unbounded preceding and 1 preceding
    ), 0) as bytes_before
  from (
    select v.id, v.version, v.template, v.content_hash, v.created_at, v.metadata
    from wildfire.prompt_versions as v
    where v.prompt_id = $1
    order by v.version desc
    limit $2 offset $3
  ) as v
)
select p.version as total,
  page.id, page.version, page.template, page.content_hash, page.created_at, page.metadata
from wildfire.prompts as p
left join page on page.bytes_before < $4
where p.id = $1
order by page.version desc";

/// A page of a prompt's versions, newest first; `None` if the caller cannot see the prompt.
pub(crate) async fn list(
    session: Session<'_>,
    prompt: i64,
    limit: i64,
    skip: i64,
) -> Result<Option<Page>, DbError> {
    let rows = session
        .query(LIST, &[&prompt, &limit, &skip, &PAGE_BYTES])
        .await?;
    let Some(Total(total)) = rows.first().map(Total::from_row).transpose()? else {
        return Ok(None);
    };
    let has_version = |row: &Row| column::<Option<i64>>(row, "id").ok().flatten().is_some();
    let versions = rows
        .into_iter()
        .filter(has_version)
        .map(StoredVersion)
        .collect();
    Ok(Some(Page { total, versions }))
}

const BY_NUMBER: &str = "-- wildfire.prompt_versions.by_number
select v.id, v.version, v.template, v.content_hash, v.created_at, v.metadata
from wildfire.prompts as p
left join wildfire.prompt_versions as v on v.prompt_id = p.id and v.version = $2
where p.id = $1";

/// A version by its number. `None` if the caller cannot see the prompt, `Some(None)` if the prompt
/// has no such version.
pub(crate) async fn by_number(
    session: Session<'_>,
    prompt: i64,
    version: i32,
) -> Result<Option<Option<StoredVersion>>, DbError> {
    let Some(row) = session.query_opt(BY_NUMBER, &[&prompt, &version]).await? else {
        return Ok(None);
    };
    let found = column::<Option<i64>>(&row, "id")?.is_some();
    Ok(Some(found.then_some(StoredVersion(row))))
}
