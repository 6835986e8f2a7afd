//! Repositories.

use jiff::Timestamp;
use platform::pg::{DbError, FromRow, Row, Session, column};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::PAGE_BYTES;
use super::prompts::Filter;

/// A repository the caller can see.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Repository {
    pub id: Uuid,
    /// Slug of the organization.
    pub owner: String,
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// `public` or `private`.
    pub visibility: String,
    pub default_branch: String,
    /// Markdown text of others: not to be trusted. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readme: Option<String>,
    /// Prompts that are not archived.
    pub prompts_count: i64,
    /// Their versions.
    pub versions_count: i64,
    /// The caller's role in the organization, if they belong to it.
    pub role: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Last change of the repository or one of its prompts.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

impl FromRow for Repository {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: column(row, "id")?,
            owner: column(row, "owner")?,
            slug: column(row, "slug")?,
            name: column(row, "name")?,
            description: column(row, "description")?,
            visibility: column(row, "visibility")?,
            default_branch: column(row, "default_branch")?,
            readme: column(row, "readme")?,
            prompts_count: column(row, "prompts_count")?,
            versions_count: column(row, "versions_count")?,
            role: column(row, "role")?,
            created_at: column(row, "created_at")?,
            updated_at: column(row, "updated_at")?,
        })
    }
}

macro_rules! repository_columns {
    () => {
        "r.id, o.slug as owner, r.slug, r.name, r.description, r.visibility, r.default_branch,
  counted.prompts_count, counted.versions_count, m.role, r.created_at,
  greatest(r.updated_at, counted.updated_at) as updated_at"
    };
}

/// The names of those columns.
macro_rules! repository_names {
    () => {
        "id, owner, slug, name, description, visibility, default_branch, prompts_count,
  versions_count, role, created_at, updated_at"
    };
}

/// What belongs to a repository `r` of an organization `o`.
macro_rules! repository_joins {
    () => {
        "
left join wildfire.organization_members as m
  on m.organization_id = r.organization_id
  and m.user_id = $1
cross join lateral (
  select count(*) as prompts_count, coalesce(sum(p.version), 0)::bigint as versions_count,
    max(p.updated_at) as updated_at
  from wildfire.prompts as p
  where p.repository_id = r.id and not p.is_archived
) as counted"
    };
}

/// One page of repositories.
pub(crate) struct Page {
    /// How many there are in all.
    pub(crate) total: i64,
    pub(crate) repositories: Vec<Repository>,
}

const LIST: &str = concat!(
    "-- wildfire.repositories.list
with matching as materialized (
select ",
    repository_columns!(),
    "
from wildfire.organizations as o
join wildfire.repositories as r on r.organization_id = o.id",
    repository_joins!(),
    "
where ($2::text is null or o.slug = $2)
  and ($3::text is null
    or strpos(lower(r.name), lower($3)) > 0
    or strpos(r.slug, lower($3)) > 0
    or strpos(lower(r.description), lower($3)) > 0)
), page as (
  select ",
    repository_names!(),
    "
  from matching
  order by role is null, updated_at desc, id
  limit $4 offset $5
), measured as (
  select ",
    repository_names!(),
    ", coalesce(sum(octet_length(description)) over (
      order by role is null, updated_at desc, id
      rows between unbounded preceding and 1 preceding
    ), 0) as bytes_before
  from page
)
select total.count as total, null::text as readme, ",
    repository_names!(),
    "
from (select count(*) from matching) as total
left join measured on bytes_before < $6
order by role is null, updated_at desc, id"
);

/// Repositories the caller can see, their own first.
pub(crate) async fn list(
    session: Session<'_>,
    user: Option<Uuid>,
    owner: Option<&str>,
    filter: &Filter,
) -> Result<Page, DbError> {
    let Filter {
        text, limit, skip, ..
    } = filter;
    let params: platform::pg::Params<'_> = &[&user, &owner, text, limit, skip, &PAGE_BYTES];
    let rows = session.query(LIST, params).await?;
    let total = rows.first().map_or(Ok(0), |row| column(row, "total"))?;
    let is_one = |row: &&Row| column::<Option<Uuid>>(row, "id").ok().flatten().is_some();
    let repositories = rows.iter().filter(is_one).map(Repository::from_row);
    Ok(Page {
        total,
        repositories: repositories.collect::<Result<_, _>>()?,
    })
}

const BY_SLUG: &str = concat!(
    "-- wildfire.repositories.by_slug
select ",
    repository_columns!(),
    ", r.readme
from wildfire.organizations as o
join wildfire.repositories as r on r.organization_id = o.id and r.slug = $3",
    repository_joins!(),
    "
where o.slug = $2"
);

/// The repository at an address.
pub(crate) async fn by_slug(
    session: Session<'_>,
    user: Option<Uuid>,
    owner: &str,
    slug: &str,
) -> Result<Option<Repository>, DbError> {
    let row = session.query_opt(BY_SLUG, &[&user, &owner, &slug]).await?;
    row.as_ref().map(Repository::from_row).transpose()
}

/// A repository that may be stored.
#[derive(Debug)]
pub(crate) struct NewRepository {
    /// Slug of the organization; the caller's first one otherwise.
    pub(crate) owner: Option<String>,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) visibility: String,
    pub(crate) default_branch: String,
    pub(crate) readme: String,
}

const INSERT: &str = "-- wildfire.repositories.insert
with target as (
  select o.id, o.slug
  from wildfire.organizations as o
  where case when $1::text is null
    then o.id = (
      select r.organization_id from wildfire.repositories as r
      where r.id = (select wildfire_private.default_repository()))
    else o.slug = $1 end
), made as (
  insert into wildfire.repositories
    (organization_id, slug, name, description, visibility, default_branch, readme)
  select target.id, $2, $3, $4, $5, $6, $7 from target
  returning id
)
select target.slug as owner
from target, made";

/// Makes a repository and returns its owner's slug; `None` if there is no such organization.
pub(crate) async fn insert(
    session: Session<'_>,
    repository: &NewRepository,
) -> Result<Option<String>, DbError> {
    let NewRepository {
        owner,
        slug,
        name,
        description,
        visibility,
        default_branch,
        readme,
    } = repository;
    let params: platform::pg::Params<'_> = &[
        owner,
        slug,
        name,
        description,
        visibility,
        default_branch,
        readme,
    ];
    let row = session.query_opt(INSERT, params).await?;
    row.map(|row| column(&row, "owner")).transpose()
}
