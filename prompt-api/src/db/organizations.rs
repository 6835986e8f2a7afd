//! The caller's organizations.

use platform::pg::{Database, DbError, FromRow, Row, Session, column};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// An organization the caller belongs to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Organization {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    /// `owner`, `editor` or `viewer`.
    pub role: String,
}

impl FromRow for Organization {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: column(row, "id")?,
            slug: column(row, "slug")?,
            name: column(row, "name")?,
            role: column(row, "role")?,
        })
    }
}

/// One page of organizations.
pub(crate) struct Page {
    /// How many there are in all.
    pub(crate) total: i64,
    pub(crate) organizations: Vec<Organization>,
}

const OF_USER: &str = "-- wildfire.organizations.of_user
with mine as materialized (
  select o.id, o.slug, o.name, m.role, m.created_at as since
  from wildfire.organization_members as m
  join wildfire.organizations as o on o.id = m.organization_id
  where m.user_id = $1
), page as (
  select id, slug, name, role, since
  from mine
  order by since, id
  limit $2 offset $3
)
select total.count as total, id, slug, name, role
from (select count(*) from mine) as total
left join page on true
order by since, id";

/// One page of the user's organizations, the first one first.
pub(crate) async fn of_user(
    session: Session<'_>,
    user: Uuid,
    limit: i64,
    skip: i64,
) -> Result<Page, DbError> {
    let rows = session.query(OF_USER, &[&user, &limit, &skip]).await?;
    let total = rows.first().map_or(Ok(0), |row| column(row, "total"))?;
    let is_one = |row: &&Row| column::<Option<Uuid>>(row, "id").ok().flatten().is_some();
    let organizations = rows.iter().filter(is_one).map(Organization::from_row);
    Ok(Page {
        total,
        organizations: organizations.collect::<Result<_, _>>()?,
    })
}

const ENSURE: &str = "-- wildfire.organizations.ensure
select wildfire_private.ensure_organization($1) as id";

/// Gives a user an organization if the sign-up could not. `None` if there is no such user.
pub(crate) async fn ensure(database: &Database, user: Uuid) -> Result<Option<Uuid>, DbError> {
    let session = database.session("service_role", "{}");
    let row = session.query_opt(ENSURE, &[&user]).await?;
    row.map_or(Ok(None), |row| column(&row, "id"))
}
