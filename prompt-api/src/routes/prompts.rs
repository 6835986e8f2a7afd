//! `/api/v1/prompts` and single prompts by id.

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, delete, get, patch, post};

use super::list::listed;
use super::{prompt_id, resource, set_tag, tagged};
use crate::caller::{Caller, SignedIn};
use crate::db;
use crate::db::changes::Change;
use crate::db::prompts::{Place, StoredPrompt};
use crate::error::Error;
use crate::etag;
use crate::json::{Json, SMALL_BODY_LIMIT};
use crate::prompts::{PromptBody, PromptChanges, PromptRequest, RollbackRequest};
use crate::query::{Query, repository_address};
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/prompts", [get(list_prompts), post(create_prompt)]);
    resource(
        mount,
        "/prompts/{id}",
        [get(get_prompt), patch(update_prompt), delete(delete_prompt)],
    );
    resource(mount, "/prompts/{id}/archive", [post(archive_prompt)]);
    resource(mount, "/prompts/{id}/unarchive", [post(unarchive_prompt)]);
    resource(mount, "/prompts/{id}/rollback", [post(rollback_prompt)]);
}

/// Lists prompts, newest change first.
///
/// With a token: those of your organizations; without: those of public repositories. `X-Total-Count`
/// says how many there are in all. An answer has at most 2 MiB; where it ends before the list does,
/// `Link` with `rel="next"` is the address of the rest.
#[utoipa::path(
    get, path = "/api/v1/prompts", tag = "Prompts",
    params(
        ("q" = Option<String>, Query, description = "Text in name, key, description or tags"),
        ("tag" = Option<Vec<String>>, Query, description = "Tags that must all be there"),
        ("archived" = Option<String>, Query, description = "`false` (default), `true` or `all`"),
        ("repo" = Option<String>, Query, description = "Only in the repository `owner/slug`"),
        ("owner" = Option<String>, Query, description = "Only in an organization's repositories"),
        ("limit" = Option<i64>, Query, description = "At most 500; without it up to 1000"),
        ("skip" = Option<i64>, Query, description = "How many to leave out first"),
    ),
    responses((status = 200, body = Vec<PromptBody<'static>>), (status = 400), (status = 401))
)]
pub(super) async fn list_prompts(
    state: web::Data<State>,
    caller: Caller,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let query = Query::parse(request.query_string())?;
    let filter = query.filter()?;
    let place = match (query.repo()?, query.get("owner")) {
        (Some((owner, slug)), _) => Place::Owner(owner, Some(slug)),
        (None, Some(owner)) => Place::Owner(owner, None),
        (None, None) if caller.is_anonymous() => Place::Public,
        (None, None) => Place::Mine,
    };
    let page = db::prompts::list(caller.session(&state.database), place, &filter).await?;
    let bodies = page.prompts.iter().map(StoredPrompt::body);
    listed(&request, &query, page.total, bodies).await
}

/// Makes a prompt with its first version.
#[utoipa::path(
    post, path = "/api/v1/prompts", tag = "Prompts", request_body = PromptRequest,
    security(("bearer" = [])),
    responses(
        (status = 201, body = PromptBody<'static>), (status = 401), (status = 403),
        (status = 404, description = "No such repository"),
        (status = 409, description = "The key is taken"), (status = 413), (status = 422),
    )
)]
pub(super) async fn create_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    Json(body): Json<PromptRequest>,
) -> Result<HttpResponse, Error> {
    let prompt = body.check()?;
    let repo = prompt.repo.as_deref().filter(|repo| !repo.is_empty());
    let repository = repo.map(repository_address).transpose()?;
    let session = caller.session(&state.database);
    let mut made = db::changes::insert(session, repository, &prompt).await?;
    if let (None, None, Some(user)) = (&made, repository, caller.user_id()) {
        // Their sign-up could not make an organization; now is the time.
        db::organizations::ensure(&state.database, user).await?;
        made = db::changes::insert(session, None, &prompt).await?;
    }
    let made = made.ok_or_else(|| Error::NoRepository(repo.unwrap_or("default").to_owned()))?;
    let mut response = HttpResponse::Created()
        .insert_header((LOCATION, format!("/api/v1/prompts/{}", made.id()?)))
        .json(made.body()?);
    set_tag(&mut response, &made.tag()?);
    Ok(response)
}

/// A prompt with its current version.
#[utoipa::path(
    get, path = "/api/v1/prompts/{id}", tag = "Prompts", params(("id" = i64, Path)),
    responses(
        (status = 200, body = PromptBody<'static>),
        (status = 304, description = "`If-None-Match` names the current state"),
        (status = 401), (status = 404),
    )
)]
pub(super) async fn get_prompt(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    let found = db::prompts::by_id(caller.session(&state.database), id).await?;
    let prompt = found.ok_or_else(|| Error::NoPromptWithId(path.into_inner()))?;
    Ok(tagged(&request, &prompt.tag()?, &prompt.body()?))
}

/// Changes name, description, tags or template; another template makes the next version.
#[utoipa::path(
    patch, path = "/api/v1/prompts/{id}", tag = "Prompts",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    request_body = PromptChanges, security(("bearer" = [])),
    responses(
        (status = 200, body = PromptBody<'static>), (status = 401), (status = 403), (status = 404),
        (status = 412, description = "It has changed since it was read"), (status = 413),
        (status = 422),
    )
)]
pub(super) async fn update_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
    request: HttpRequest,
    Json(body): Json<PromptChanges>,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    let changes = body.check()?;
    let if_match = etag::if_match(request.headers());
    let session = caller.session(&state.database);
    changed(
        &path,
        db::changes::update(session, id, &if_match, &changes).await?,
    )
}

/// Deletes a prompt. It can be brought back by an administrator for 30 days.
#[utoipa::path(
    delete, path = "/api/v1/prompts/{id}", tag = "Prompts", params(("id" = i64, Path)),
    security(("bearer" = [])),
    responses((status = 204), (status = 401), (status = 403), (status = 404))
)]
pub(super) async fn delete_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    match db::changes::delete(caller.session(&state.database), id).await? {
        Some(true) => Ok(HttpResponse::NoContent().finish()),
        Some(false) => Err(Error::Forbidden),
        None => Err(Error::NoPromptWithId(path.into_inner())),
    }
}

/// Hides a prompt from lists. It can still be fetched and compiled.
#[utoipa::path(
    post, path = "/api/v1/prompts/{id}/archive", tag = "Prompts", params(("id" = i64, Path)),
    security(("bearer" = [])),
    responses((status = 200, body = PromptBody<'static>), (status = 401), (status = 403), (status = 404))
)]
pub(super) async fn archive_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    set_archived(&state, &caller, &path, &request, true).await
}

/// Shows a prompt in lists again.
#[utoipa::path(
    post, path = "/api/v1/prompts/{id}/unarchive", tag = "Prompts", params(("id" = i64, Path)),
    security(("bearer" = [])),
    responses((status = 200, body = PromptBody<'static>), (status = 401), (status = 403), (status = 404))
)]
pub(super) async fn unarchive_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    set_archived(&state, &caller, &path, &request, false).await
}

async fn set_archived(
    state: &State,
    caller: &Caller,
    path: &str,
    request: &HttpRequest,
    archived: bool,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(path)?;
    let if_match = etag::if_match(request.headers());
    let session = caller.session(&state.database);
    changed(
        path,
        db::changes::set_archived(session, id, &if_match, archived).await?,
    )
}

/// Makes the next version from the text of an earlier one.
#[utoipa::path(
    post, path = "/api/v1/prompts/{id}/rollback", tag = "Versions",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    request_body = RollbackRequest, security(("bearer" = [])),
    responses(
        (status = 200, body = PromptBody<'static>), (status = 401), (status = 403), (status = 404),
        (status = 409, description = "The text is the current one"), (status = 412), (status = 422),
    )
)]
pub(super) async fn rollback_prompt(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    path: web::Path<String>,
    request: HttpRequest,
    Json(body): Json<RollbackRequest, SMALL_BODY_LIMIT>,
) -> Result<HttpResponse, Error> {
    let id = prompt_id(&path)?;
    let wanted = body.check()?;
    // A number no version can have is looked up as one that no version has.
    let version = i32::try_from(wanted).unwrap_or(0);
    let if_match = etag::if_match(request.headers());
    let session = caller.session(&state.database);
    match db::changes::restore(session, id, &if_match, version).await? {
        Change::NoVersion => Err(Error::NoVersion(wanted.to_string())),
        change => changed(&path, change),
    }
}

fn changed(id: &str, change: Change) -> Result<HttpResponse, Error> {
    let prompt = done(id, change)?;
    let mut response = HttpResponse::Ok().json(prompt.body()?);
    set_tag(&mut response, &prompt.tag()?);
    Ok(response)
}

/// The changed prompt, or why nothing has changed.
pub(super) fn done(id: &str, change: Change) -> Result<StoredPrompt, Error> {
    match change {
        Change::Done(prompt) => Ok(*prompt),
        Change::NoPrompt => Err(Error::NoPromptWithId(id.to_owned())),
        Change::NoVersion => Err(Error::NoVersion(String::new())),
        Change::Forbidden => Err(Error::Forbidden),
        Change::Stale => Err(Error::Stale),
        Change::SameText => Err(Error::NoChange),
    }
}
