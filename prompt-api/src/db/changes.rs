//! Writes of prompts. Each is one statement that also says why nothing was written.
//!
//! The row is read `for update` first: that applies the rules for writing, and puts concurrent saves
//! in order, so that the conditions below see what the save before left.

use jiff::Timestamp;
use platform::pg::{DbError, Json, Row, Session, column};

use super::prompt_columns;
use super::prompts::StoredPrompt;
use crate::etag::{IfMatch, Precondition};
use crate::prompts::{Changes, NewPrompt, NewVersion};

/// What came of a write.
pub(crate) enum Change {
    Done(Box<StoredPrompt>),
    /// The caller cannot see such a prompt.
    NoPrompt,
    /// The prompt has no such version.
    NoVersion,
    /// The caller may read but not write.
    Forbidden,
    /// `If-Match` names another state.
    Stale,
    /// The text is the current one.
    SameText,
}

/// The prompt `$1` as seen, as held for writing if that is allowed, and the states `$2`, `$3` that
/// `If-Match` accepts (any if `$2` is null).
macro_rules! held {
    () => {
        "
with seen as (
  select p.id from wildfire.prompts as p where p.id = $1
), held as (
  select p.id, p.version, p.updated_at, p.content_hash,
    $2::integer[] is null
      or (p.version, p.updated_at) in (select * from unnest($2, $3::timestamptz[])) as fresh
  from wildfire.prompts as p
  where p.id = $1
  for update
)"
    };
}

/// What came of it, and the changed prompt.
macro_rules! outcome {
    () => {
        concat!(
            "
select held.id is not null as allowed, held.fresh, p.id is not null as done, ",
            prompt_columns!()
        )
    };
}

macro_rules! changed_columns {
    () => {
        "p.id, p.repository_id, p.key, p.name, p.description, p.tags, p.is_archived, p.created_at,
    p.updated_at, p.version_id, p.version, p.template, p.content_hash, p.version_created_at,
    p.version_metadata"
    };
}

macro_rules! joined {
    () => {
        "
left join wildfire.repositories as r on r.id = p.repository_id
left join wildfire.organizations as o on o.id = r.organization_id"
    };
}

/// `If-Match` as parameters.
struct Accepted {
    versions: Option<Vec<i32>>,
    times: Option<Vec<Timestamp>>,
}

impl Accepted {
    fn from(if_match: &IfMatch) -> Self {
        match if_match {
            IfMatch::Anything => Self {
                versions: None,
                times: None,
            },
            IfMatch::OneOf(states) => {
                let pairs = states.iter().map(
                    |Precondition {
                         version,
                         updated_at,
                     }| { (*version, *updated_at) },
                );
                let (versions, times) = pairs.unzip();
                Self {
                    versions: Some(versions),
                    times: Some(times),
                }
            }
        }
    }
}

fn read(row: Option<Row>) -> Result<Change, DbError> {
    let Some(row) = row else {
        return Ok(Change::NoPrompt);
    };
    if column(&row, "done")? {
        return Ok(Change::Done(Box::new(StoredPrompt::new(row))));
    }
    if !column::<bool>(&row, "allowed")? {
        return Ok(Change::Forbidden);
    }
    if column::<Option<bool>>(&row, "fresh")? == Some(false) {
        return Ok(Change::Stale);
    }
    Ok(Change::SameText)
}

const INSERT: &str = concat!(
    "-- wildfire.prompts.insert
with target as (
  select r.id
  from wildfire.repositories as r
  where r.id = case when $6::text is null
    then (select wildfire_private.default_repository())
    else (
      select r.id
      from wildfire.organizations as o
      join wildfire.repositories as r on r.organization_id = o.id and r.slug = $7
      where o.slug = $6
    ) end
), made as (
  insert into wildfire.prompts as p (repository_id, key, name, description, tags, template)
  select target.id, $1, $2, $3, $4, $5 from target
  returning ",
    changed_columns!(),
    "
)
select ",
    prompt_columns!(),
    "
from made as p",
    joined!()
);

/// Makes a prompt in the repository `owner/slug`, or in the caller's default one. `None` if there is
/// no such repository.
pub(crate) async fn insert(
    session: Session<'_>,
    repository: Option<(&str, &str)>,
    prompt: &NewPrompt,
) -> Result<Option<StoredPrompt>, DbError> {
    let NewPrompt {
        key,
        name,
        description,
        tags,
        template,
        repo: _,
    } = prompt;
    let (owner, slug) = repository.unzip();
    let params: platform::pg::Params<'_> = &[key, name, description, tags, template, &owner, &slug];
    Ok(session
        .query_opt(INSERT, params)
        .await?
        .map(StoredPrompt::new))
}

const UPDATE: &str = concat!(
    "-- wildfire.prompts.update",
    held!(),
    ", changed as (
  update wildfire.prompts as p set
    name = coalesce($4, p.name),
    description = case when $5::boolean then $6 else p.description end,
    tags = coalesce($7, p.tags),
    template = coalesce($8, p.template)
  from held
  where p.id = held.id and held.fresh
  returning ",
    changed_columns!(),
    "
)",
    outcome!(),
    "
from seen
left join held on true
left join changed as p on true",
    joined!()
);

/// Changes what is given; another template makes the next version.
pub(crate) async fn update(
    session: Session<'_>,
    id: i64,
    if_match: &IfMatch,
    changes: &Changes,
) -> Result<Change, DbError> {
    let Accepted { versions, times } = Accepted::from(if_match);
    let Changes {
        name,
        describe,
        description,
        tags,
        template,
    } = changes;
    let params: platform::pg::Params<'_> = &[
        &id,
        &versions,
        &times,
        name,
        describe,
        description,
        tags,
        template,
    ];
    read(session.query_opt(UPDATE, params).await?)
}

const ADD_VERSION: &str = concat!(
    "-- wildfire.prompts.add_version",
    held!(),
    ", changed as (
  update wildfire.prompts as p set template = $4, new_version_metadata = $5
  from held
  where p.id = held.id and held.fresh and held.content_hash <> $6
  returning ",
    changed_columns!(),
    "
)",
    outcome!(),
    "
from seen
left join held on true
left join changed as p on true",
    joined!()
);

/// Makes the next version.
pub(crate) async fn add_version(
    session: Session<'_>,
    id: i64,
    if_match: &IfMatch,
    version: &NewVersion,
) -> Result<Change, DbError> {
    let Accepted { versions, times } = Accepted::from(if_match);
    let NewVersion {
        template,
        content_hash,
        metadata,
    } = version;
    let metadata = Json(metadata);
    let params: platform::pg::Params<'_> =
        &[&id, &versions, &times, template, &metadata, content_hash];
    read(session.query_opt(ADD_VERSION, params).await?)
}

const RESTORE: &str = concat!(
    "-- wildfire.prompts.restore",
    held!(),
    ", source as (
  select v.template, v.content_hash
  from wildfire.prompt_versions as v
  where v.prompt_id = $1 and v.version = $4
), changed as (
  update wildfire.prompts as p set
    template = source.template,
    new_version_metadata = jsonb_build_object('description', 'Restore v' || $4)
  from held, source
  where p.id = held.id and held.fresh and held.content_hash <> source.content_hash
  returning ",
    changed_columns!(),
    "
)",
    outcome!(),
    ", source.content_hash is not null as has_source
from seen
left join held on true
left join source on true
left join changed as p on true",
    joined!()
);

/// Makes the next version from an earlier one.
pub(crate) async fn restore(
    session: Session<'_>,
    id: i64,
    if_match: &IfMatch,
    version: i32,
) -> Result<Change, DbError> {
    let Accepted { versions, times } = Accepted::from(if_match);
    let row = session
        .query_opt(RESTORE, &[&id, &versions, &times, &version])
        .await?;
    let has_source = row
        .as_ref()
        .map(|row| column::<bool>(row, "has_source"))
        .transpose()?;
    match read(row)? {
        Change::SameText | Change::Stale if has_source == Some(false) => Ok(Change::NoVersion),
        change => Ok(change),
    }
}

const SET_ARCHIVED: &str = concat!(
    "-- wildfire.prompts.set_archived",
    held!(),
    ", changed as (
  update wildfire.prompts as p set is_archived = $4
  from held
  where p.id = held.id and held.fresh
  returning ",
    changed_columns!(),
    "
)",
    outcome!(),
    "
from seen
left join held on true
left join changed as p on true",
    joined!()
);

/// Hides a prompt from lists, or shows it again.
pub(crate) async fn set_archived(
    session: Session<'_>,
    id: i64,
    if_match: &IfMatch,
    archived: bool,
) -> Result<Change, DbError> {
    let Accepted { versions, times } = Accepted::from(if_match);
    read(
        session
            .query_opt(SET_ARCHIVED, &[&id, &versions, &times, &archived])
            .await?,
    )
}

const DELETE: &str = "-- wildfire.prompts.delete
with seen as (
  select p.id from wildfire.prompts as p where p.id = $1
), deleted as (
  delete from wildfire.prompts as p where p.id = $1 returning p.id
)
select deleted.id is not null as done
from seen
left join deleted on true";

/// Deletes a prompt. `Some(false)` if the caller may only read it, `None` if they cannot see it.
pub(crate) async fn delete(session: Session<'_>, id: i64) -> Result<Option<bool>, DbError> {
    let row = session.query_opt(DELETE, &[&id]).await?;
    row.map(|row| column(&row, "done")).transpose()
}
