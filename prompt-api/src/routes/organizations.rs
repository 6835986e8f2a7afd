//! `/api/v1/organizations`

use actix_web::{HttpResponse, web};

use super::wrong_method;
use crate::caller::SignedIn;
use crate::db;
use crate::db::organizations::Organization;
use crate::error::Error;
use crate::state::State;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(
        web::resource("/organizations")
            .get(list_organizations)
            .default_service(web::to(wrong_method)),
    );
}

/// Lists the organizations you belong to, your first one first.
#[utoipa::path(
    get, path = "/api/v1/organizations", tag = "Organizations", security(("bearer" = [])),
    responses((status = 200, body = Vec<Organization>), (status = 401))
)]
pub(super) async fn list_organizations(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
) -> Result<HttpResponse, Error> {
    let Some(user) = caller.user_id() else {
        return Ok(HttpResponse::Ok().json([(); 0]));
    };
    let session = caller.session(&state.database);
    let mut organizations = db::organizations::of_user(session, user).await?;
    if organizations.is_empty()
        && db::organizations::ensure(&state.database, user)
            .await?
            .is_some()
    {
        organizations = db::organizations::of_user(session, user).await?;
    }
    Ok(HttpResponse::Ok().json(organizations))
}
