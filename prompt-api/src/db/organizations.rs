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

const OF_USER: &str = "-- public.organizations.of_user
select o.id, o.slug, o.name, m.role
from public.organization_members as m
join public.organizations as o on o.id = m.organization_id
where m.user_id = $1
order by m.created_at, m.organization_id";

/// The user's organizations, the first one first.
pub(crate) async fn of_user(
    session: Session<'_>,
    user: Uuid,
) -> Result<Vec<Organization>, DbError> {
    let rows = session.query(OF_USER, &[&user]).await?;
    rows.iter().map(Organization::from_row).collect()
}

const ENSURE: &str = "-- public.organizations.ensure
select wildfire.ensure_organization($1) as id";

/// Gives a user an organization if the sign-up could not. `None` if there is no such user.
pub(crate) async fn ensure(database: &Database, user: Uuid) -> Result<Option<Uuid>, DbError> {
    let session = database.session("service_role", "{}");
    let row = session.query_opt(ENSURE, &[&user]).await?;
    row.map_or(Ok(None), |row| column(&row, "id"))
}
