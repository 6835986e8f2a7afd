//! `/api/v1/organizations`

use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, get};

use super::list::listed;
use super::resource;
use crate::caller::SignedIn;
use crate::db;
use crate::db::organizations::Organization;
use crate::error::Error;
use crate::query::Query;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/organizations", [get(list_organizations)]);
}

/// Lists the organizations you belong to, your first one first.
///
/// `X-Total-Count` says how many there are in all, `Link` with `rel="next"` where the rest is.
#[utoipa::path(
    get, path = "/api/v1/organizations", tag = "Organizations", security(("bearer" = [])),
    params(
        ("limit" = Option<i64>, Query, description = "At most 500; without it up to 1000"),
        ("skip" = Option<i64>, Query, description = "How many to leave out first"),
    ),
    responses((status = 200, body = Vec<Organization>), (status = 400), (status = 401))
)]
pub(super) async fn list_organizations(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let query = Query::parse(request.query_string())?;
    let (limit, skip) = (query.limit()?, query.skip()?);
    let Some(user) = caller.user_id() else {
        return Ok(HttpResponse::Ok().json([(); 0]));
    };
    let session = caller.session(&state.database);
    let list = async || db::organizations::of_user(session, user, limit, skip).await;
    let mut page = list().await?;
    if page.total == 0
        && db::organizations::ensure(&state.database, user)
            .await?
            .is_some()
    {
        page = list().await?;
    }
    listed(
        &request,
        &query,
        page.total,
        page.organizations.iter().map(Ok),
    )
    .await
}
