//! Reads of prompts. Each is one statement; row level security decides which rows there are.

use jiff::Timestamp;
use platform::pg::{DbError, Json, Row, Session, column};
use serde_json::value::RawValue;

use super::{PAGE_BYTES, prompt_columns, prompt_names};
use crate::etag::{self, Precondition};
use crate::prompts::{PromptBody, RepositoryName, VersionBody};

/// Most prompts an ambiguous key is explained with.
const CANDIDATES: i64 = 8;

/// A row with all columns of a prompt.
pub(crate) struct StoredPrompt(Row);

impl StoredPrompt {
    pub(crate) fn new(row: Row) -> Self {
        Self(row)
    }

    /// The prompt as it is answered.
    pub(crate) fn body(&self) -> Result<PromptBody<'_>, DbError> {
        let row = &self.0;
        Ok(PromptBody {
            id: self.id()?,
            key: column(row, "key")?,
            name: column(row, "name")?,
            description: column(row, "description")?,
            tags: column(row, "tags")?,
            is_archived: column(row, "is_archived")?,
            current_version: self.version()?,
            created_at: column(row, "created_at")?,
            updated_at: column(row, "updated_at")?,
            repository: RepositoryName {
                id: column(row, "repository_id")?,
                owner: column(row, "owner")?,
                slug: column(row, "repository_slug")?,
            },
            versions_count: column(row, "versions_count")?,
        })
    }

    /// The version in the row: the current one unless another was asked for.
    pub(crate) fn version(&self) -> Result<VersionBody<'_>, DbError> {
        let row = &self.0;
        let Json(metadata) = column::<Json<&RawValue>>(row, "version_metadata")?;
        Ok(VersionBody {
            id: column(row, "version_id")?,
            version: column(row, "version")?,
            template: column(row, "template")?,
            content_hash: column(row, "content_hash")?,
            created_at: column(row, "version_created_at")?,
            metadata,
        })
    }

    pub(crate) fn id(&self) -> Result<i64, DbError> {
        column(&self.0, "id")
    }

    /// `owner/slug` of the repository.
    pub(crate) fn repo(&self) -> Result<String, DbError> {
        let owner: &str = column(&self.0, "owner")?;
        let slug: &str = column(&self.0, "repository_slug")?;
        Ok(format!("{owner}/{slug}"))
    }

    /// Whether this is the prompt a short address means although others have its key.
    pub(crate) fn is_preferred(&self) -> Result<bool, DbError> {
        Ok(column::<Option<bool>>(&self.0, "preferred")?.unwrap_or(false))
    }

    /// The entity tag of [`StoredPrompt::body`].
    pub(crate) fn tag(&self) -> Result<String, DbError> {
        let version: i32 = column(&self.0, "versions_count")?;
        let updated_at: Timestamp = column(&self.0, "updated_at")?;
        let shown = [
            column(&self.0, "owner")?,
            column(&self.0, "repository_slug")?,
        ];
        let state = Precondition {
            version,
            updated_at,
        };
        Ok(etag::prompt_tag(state, shown, column(&self.0, "version")?))
    }
}

const BY_ID: &str = concat!(
    "-- wildfire.prompts.by_id
select ",
    prompt_columns!(),
    "
from wildfire.prompts as p
join wildfire.repositories as r on r.id = p.repository_id
join wildfire.organizations as o on o.id = r.organization_id
where p.id = $1"
);

/// The prompt with this id.
pub(crate) async fn by_id(session: Session<'_>, id: i64) -> Result<Option<StoredPrompt>, DbError> {
    Ok(session.query_opt(BY_ID, &[&id]).await?.map(StoredPrompt))
}

const BY_KEY: &str = concat!(
    "-- wildfire.prompts.by_key
select ",
    prompt_columns!(),
    ",
  count(*) over () = 1 or r.id = (select wildfire_private.default_repository()) as preferred
from wildfire.repositories as r
join wildfire.organizations as o on o.id = r.organization_id
join wildfire.prompts as p on p.repository_id = r.id and p.key = $1
where r.organization_id = any ((select wildfire_private.readable_organizations())::uuid[])
order by preferred desc, o.slug, r.slug
limit $2"
);

/// The prompts with this key in the repositories of the caller's organizations: the preferred one
/// first, and no more than one needs to choose from.
pub(crate) async fn by_key(session: Session<'_>, key: &str) -> Result<Vec<StoredPrompt>, DbError> {
    let rows = session.query(BY_KEY, &[&key, &CANDIDATES]).await?;
    Ok(rows.into_iter().map(StoredPrompt).collect())
}

const BY_KEY_IN: &str = concat!(
    "-- wildfire.prompts.by_key_in
select ",
    prompt_columns!(),
    ", true as preferred
from wildfire.organizations as o
join wildfire.repositories as r on r.organization_id = o.id and r.slug = $2
join wildfire.prompts as p on p.repository_id = r.id and p.key = $3
where o.slug = $1"
);

/// The prompt with this key in a repository.
pub(crate) async fn by_key_in(
    session: Session<'_>,
    owner: &str,
    slug: &str,
    key: &str,
) -> Result<Vec<StoredPrompt>, DbError> {
    let rows = session.query(BY_KEY_IN, &[&owner, &slug, &key]).await?;
    Ok(rows.into_iter().map(StoredPrompt).collect())
}

const AT_VERSION: &str = "-- wildfire.prompts.at_version
select p.id, p.key, p.name, p.description, p.tags, p.is_archived, p.created_at, p.updated_at,
  p.version as versions_count, v.id as version_id, v.version, v.template, v.content_hash,
  v.created_at as version_created_at, v.metadata as version_metadata,
  r.id as repository_id, r.slug as repository_slug, o.slug as owner
from wildfire.prompts as p
join wildfire.prompt_versions as v on v.prompt_id = p.id and v.version = $2
join wildfire.repositories as r on r.id = p.repository_id
join wildfire.organizations as o on o.id = r.organization_id
where p.id = $1";

/// The prompt with this id, showing one of its versions.
pub(crate) async fn at_version(
    session: Session<'_>,
    id: i64,
    version: i32,
) -> Result<Option<StoredPrompt>, DbError> {
    Ok(session
        .query_opt(AT_VERSION, &[&id, &version])
        .await?
        .map(StoredPrompt))
}

/// What a list shows.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Text somewhere in name, key, description or tags, in any case.
    pub(crate) text: Option<String>,
    /// Tags a prompt must all have.
    pub(crate) tags: Vec<String>,
    /// Archived ones, the others, or both.
    pub(crate) archived: Option<bool>,
    pub(crate) limit: i64,
    pub(crate) skip: i64,
}

/// Where a list looks.
#[derive(Debug)]
pub(crate) enum Place<'a> {
    /// In the caller's organizations.
    Mine,
    /// In all public repositories.
    Public,
    /// In the repositories of an organization, or in one of them.
    Owner(&'a str, Option<&'a str>),
}

/// One page of a list.
pub(crate) struct Page {
    /// How many there are in all.
    pub(crate) total: i64,
    pub(crate) prompts: Vec<StoredPrompt>,
}

/// A list statement over the repositories that `$where` chooses. Texts are looked at only of prompts
/// on the page, and read from disk only as far as its bytes go. The total stands in every row, and in
/// one row without a prompt when the page is empty.
macro_rules! list {
    ($name:literal, $where:literal) => {
        concat!(
            "-- wildfire.prompts.",
            $name,
            "
with matching as materialized (
  select p.id, p.updated_at
  from wildfire.repositories as r
  join wildfire.organizations as o on o.id = r.organization_id
  join wildfire.prompts as p on p.repository_id = r.id
  where ",
            $where,
            "
    and ($1::boolean is null or p.is_archived = $1)
    and (cardinality($2::text[]) = 0 or p.tags @> $2)
    and ($3::text is null
      or strpos(lower(p.name), lower($3)) > 0
      or strpos(p.key, lower($3)) > 0
      or strpos(lower(p.description), lower($3)) > 0
      or strpos(lower(array_to_string(p.tags, E'\\n')), lower($3)) > 0)
), page as (
  select id
  from matching
  order by updated_at desc, id desc
  limit $4 offset $5
), measured as (
  select ",
            prompt_columns!(),
            ",
    coalesce(sum(octet_length(p.template) + pg_column_size(p.version_metadata)) over (
      order by p.updated_at desc, p.id desc
      rows between unbounded preceding and 1 preceding
    ), 0) as bytes_before
  from page
  join wildfire.prompts as p on p.id = page.id
  join wildfire.repositories as r on r.id = p.repository_id
  join wildfire.organizations as o on o.id = r.organization_id
)
select total.count as total, ",
            prompt_names!(),
            "
from (select count(*) from matching) as total
left join measured on bytes_before < $6
order by updated_at desc, id desc"
        )
    };
}

const LIST_MINE: &str = list!(
    "list_mine",
    "r.organization_id = any ((select wildfire_private.readable_organizations())::uuid[])"
);
const LIST_PUBLIC: &str = list!("list_public", "r.visibility = 'public'");
const LIST_OWNER: &str = list!(
    "list_owner",
    "o.slug = $7 and ($8::text is null or r.slug = $8)"
);

/// A page of prompts, newest change first.
pub(crate) async fn list(
    session: Session<'_>,
    place: Place<'_>,
    filter: &Filter,
) -> Result<Page, DbError> {
    let Filter {
        text,
        tags,
        archived,
        limit,
        skip,
    } = filter;
    let rows = match place {
        Place::Mine => {
            session
                .query(LIST_MINE, &[archived, tags, text, limit, skip, &PAGE_BYTES])
                .await?
        }
        Place::Public => {
            session
                .query(
                    LIST_PUBLIC,
                    &[archived, tags, text, limit, skip, &PAGE_BYTES],
                )
                .await?
        }
        Place::Owner(owner, slug) => {
            let params: platform::pg::Params<'_> = &[
                archived,
                tags,
                text,
                limit,
                skip,
                &PAGE_BYTES,
                &owner,
                &slug,
            ];
            session.query(LIST_OWNER, params).await?
        }
    };
    let total = rows.first().map_or(Ok(0), |row| column(row, "total"))?;
    let has_prompt = |row: &Row| column::<Option<i64>>(row, "id").ok().flatten().is_some();
    let prompts = rows
        .into_iter()
        .filter(has_prompt)
        .map(StoredPrompt)
        .collect();
    Ok(Page { total, prompts })
}
