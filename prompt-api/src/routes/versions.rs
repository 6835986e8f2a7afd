//! `/api/v1/prompts/{id}/versions`

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, get, post};

use super::list::listed;
use super::prompts::done;
use super::{prompt_id, resource, tagged};
use crate::caller::{Caller, SignedIn};
use crate::db;
use crate::db::versions::StoredVersion;
use crate::error::Error;
use crate::etag;
use crate::json::Json;
use crate::prompts::{VersionBody, VersionRequest};
use crate::query::Query;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(
        mount,
        "/prompts/{id}/versions",
        [get(list_versions), post(create_version)],
    );
    resource(
        mount,
        "/prompts/{id}/versions/{version}",
        [get(get_version)],
    );
}

/// Lists a prompt's versions, newest first; `X-Total-Count` says how many there are in all. An answer
/// has at most 2 MiB; where it ends before the list does, `Link` with `rel="next"` is the address of
/// the rest.
#[utoipa::path(
    get, path = "/api/v1/prompts/{id}/versions", tag = "Versions",
    params(
        ("id" = i64, Path), ("limit" = Option<i64>, Query), ("skip" = Option<i64>, Query),
    ),
    responses((status = 200, body = Vec<VersionBody<'static>>), (status = 401), (status = 404))
)]
pub(super) async fn list_versions(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    let query = Query::parse(request.query_string())?;
    let (limit, skip) = (query.limit()?, query.skip()?);
    let session = caller.session(&state.database);
    let page = db::versions::list(session, id, limit, skip).await?;
    let page = page.ok_or_else(|| Error::NoPromptWithId(path.into_inner()))?;
    let bodies = page.versions.iter().map(StoredVersion::body);
    listed(&request, &query, page.total.into(), bodies).await
}

/// A version by its number. Versions never change.
#[utoipa::path(
    get, path = "/api/v1/prompts/{id}/versions/{version}", tag = "Versions",
    params(("id" = i64, Path), ("version" = i32, Path)),
    responses((status = 200, body = VersionBody<'static>), (status = 304), (status = 401), (status = 404))
)]
pub(super) async fn get_version(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let (prompt, number) = path.into_inner();
    let id = prompt_id(&prompt)?;
    let version = number
        .parse()
        .map_err(|_| Error::NoVersion(number.clone()))?;
    let session = caller.session(&state.database);
    let found = db::versions::by_number(session, id, version).await?;
    let found = found.ok_or(Error::NoPromptWithId(prompt))?;
    let version = found.ok_or(Error::NoVersion(number))?;
    let body = version.body()?;
    let tag = format!("\"{}-{}\"", body.id, body.content_hash);
    Ok(tagged(&request, &tag, &body))
}

/// Makes the next version.
#[utoipa::path(
    post, path = "/api/v1/prompts/{id}/versions", tag = "Versions",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    request_body = VersionRequest, security(("bearer" = [])),
    responses(
        (status = 201, body = VersionBody<'static>), (status = 401), (status = 403), (status = 404),
        (status = 409, description = "The text is the current one"),
        (status = 412, description = "It has changed since it was read"), (status = 413),
        (status = 422),
    )
)]
pub(super) async fn create_version(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
    request: HttpRequest,
    Json(body): Json<VersionRequest>,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    let version = body.check()?;
    let if_match = etag::if_match(request.headers());
    let session = caller.session(&state.database);
    let change = db::changes::add_version(session, id, &if_match, &version).await?;
    let prompt = done(&path, change)?;
    let made = prompt.version()?;
    let mut response = HttpResponse::Created()
        .insert_header((
            LOCATION,
            format!("/api/v1/prompts/{id}/versions/{}", made.version),
        ))
        .json(made);
    // The prompt's tag, so that the next change can be made conditional at once.
    super::set_tag(&mut response, &prompt.tag()?);
    Ok(response)
}
