//! `/api/v1/repos`: what Explore shows.

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, get, post};
use serde::Deserialize;
use utoipa::ToSchema;

use super::list::listed;
use super::resource;
use crate::caller::{Caller, SignedIn};
use crate::db;
use crate::db::repositories::{NewRepository, Repository};
use crate::error::Error;
use crate::json::Json;
use crate::prompts::{Problems, check_key};
use crate::query::Query;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(
        mount,
        "/repos",
        [get(list_repositories), post(create_repository)],
    );
    resource(mount, "/repos/{owner}/{slug}", [get(get_repository)]);
}

/// `POST /api/v1/repos`
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewRepository)]
pub(super) struct RepositoryRequest {
    #[schema(required = true, nullable = false, max_length = 120)]
    name: Option<String>,
    /// `^[a-z0-9]+(-[a-z0-9]+)*$`; names of pages are reserved.
    #[schema(required = true, nullable = false, max_length = 64)]
    slug: Option<String>,
    #[schema(max_length = 1000)]
    description: Option<String>,
    /// `private` (default) or `public`.
    visibility: Option<String>,
    /// `main` by default.
    default_branch: Option<String>,
    /// Markdown, at most 256 KiB.
    readme: Option<String>,
    /// Slug of the organization; your first one otherwise.
    owner: Option<String>,
}

impl RepositoryRequest {
    fn check(self) -> Result<NewRepository, Error> {
        let mut problems = Problems::default();
        let name = problems.line("name", &self.name.unwrap_or_default(), 120);
        let slug = self.slug.unwrap_or_default();
        if let Err(message) = check_key(&slug) {
            problems.add("slug", message);
        }
        let description = self
            .description
            .map(|text| problems.text("description", &text, 1000));
        let visibility = self.visibility.unwrap_or_else(|| "private".to_owned());
        if !matches!(visibility.as_str(), "public" | "private") {
            problems.add("visibility", "must be public or private");
        }
        let branch = self.default_branch.unwrap_or_else(|| "main".to_owned());
        let default_branch = problems.line("default_branch", &branch, 120);
        let readme = self.readme.unwrap_or_default();
        problems.no_nul("readme", &readme);
        if readme.len() > 256 * 1024 {
            problems.add("readme", "must have at most 256 KiB");
        }
        let owner = self.owner.filter(|owner| !owner.is_empty());
        if let Some(owner) = &owner {
            problems.no_nul("owner", owner);
        }
        problems.finish()?;
        Ok(NewRepository {
            owner,
            slug,
            name,
            description,
            visibility,
            default_branch,
            readme,
        })
    }
}

/// Lists repositories: your organizations' first, then public ones, all without their readme.
///
/// `X-Total-Count` says how many there are in all, `Link` with `rel="next"` where the rest is.
#[utoipa::path(
    get, path = "/api/v1/repos", tag = "Repositories",
    params(
        ("owner" = Option<String>, Query, description = "Only of one organization"),
        ("q" = Option<String>, Query, description = "Text in name, slug or description"),
        ("limit" = Option<i64>, Query, description = "At most 500; without it up to 1000"),
        ("skip" = Option<i64>, Query, description = "How many to leave out first"),
    ),
    responses((status = 200, body = Vec<Repository>), (status = 400), (status = 401))
)]
pub(super) async fn list_repositories(
    state: web::Data<State>,
    caller: Caller,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let query = Query::parse(request.query_string())?;
    let filter = query.filter()?;
    let owner = query.get("owner");
    let session = caller.session(&state.database);
    let page = db::repositories::list(session, caller.user_id(), owner, &filter).await?;
    let repositories = page.repositories.iter().map(Ok);
    listed(&request, &query, page.total, repositories).await
}

/// A repository by its address.
#[utoipa::path(
    get, path = "/api/v1/repos/{owner}/{slug}", tag = "Repositories",
    params(("owner" = String, Path), ("slug" = String, Path)),
    responses((status = 200, body = Repository), (status = 401), (status = 404))
)]
pub(super) async fn get_repository(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Error> {
    let (owner, slug) = path.into_inner();
    let repository = found(&state, &caller, &owner, &slug).await?;
    Ok(HttpResponse::Ok().json(repository))
}

/// Makes a repository.
#[utoipa::path(
    post, path = "/api/v1/repos", tag = "Repositories", request_body = RepositoryRequest,
    security(("bearer" = [])),
    responses(
        (status = 201, body = Repository), (status = 401), (status = 403),
        (status = 404, description = "No such organization"),
        (status = 409, description = "The slug is taken"), (status = 422),
    )
)]
pub(super) async fn create_repository(
    state: web::Data<State>,
    SignedIn(caller): SignedIn,
    Json(body): Json<RepositoryRequest>,
) -> Result<HttpResponse, Error> {
    let repository = body.check()?;
    let session = caller.session(&state.database);
    let mut owner = db::repositories::insert(session, &repository).await?;
    if let (None, None, Some(user)) = (&owner, &repository.owner, caller.user_id()) {
        db::organizations::ensure(&state.database, user).await?;
        owner = db::repositories::insert(session, &repository).await?;
    }
    let wanted = || repository.owner.clone().unwrap_or_default();
    let owner = owner.ok_or_else(|| Error::NoRepository(wanted()))?;
    let made = found(&state, &caller, &owner, &repository.slug).await?;
    let location = format!("/api/v1/repos/{owner}/{}", made.slug);
    Ok(HttpResponse::Created()
        .insert_header((LOCATION, location))
        .json(made))
}

async fn found(
    state: &State,
    caller: &Caller,
    owner: &str,
    slug: &str,
) -> Result<Repository, Error> {
    let address = || Error::NoRepository(format!("{owner}/{slug}"));
    if owner.contains('\0') || slug.contains('\0') {
        return Err(address());
    }
    let session = caller.session(&state.database);
    let found = db::repositories::by_slug(session, caller.user_id(), owner, slug).await?;
    found.ok_or_else(address)
}
