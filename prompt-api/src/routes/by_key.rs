//! `/api/v1/prompts/by-key/{key}`: what code fetches at run time.

use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, get};

use super::{resource, tagged, warn_if_archived};
use crate::caller::Caller;
use crate::db;
use crate::db::prompts::StoredPrompt;
use crate::error::{Candidate, Error};
use crate::prompts::{PromptBody, check_key};
use crate::query::Query;
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/prompts/by-key/{key}", [get(get_prompt_by_key)]);
}

/// A prompt by its key.
///
/// Without `repo` it is looked for in your organizations' repositories; the `default` repository of
/// your first organization wins over the others.
#[utoipa::path(
    get, path = "/api/v1/prompts/by-key/{key}", tag = "Prompts",
    params(
        ("key" = String, Path),
        ("repo" = Option<String>, Query, description = "`owner/slug`"),
        ("version" = Option<i32>, Query, description = "A version instead of the current one"),
        ("If-None-Match" = Option<String>, Header),
    ),
    responses(
        (status = 200, body = PromptBody<'static>), (status = 304), (status = 401), (status = 404),
        (status = 409, description = "Several repositories have this key; `details` lists up to eight"),
    )
)]
pub(super) async fn get_prompt_by_key(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Error> {
    let query = Query::parse(request.query_string())?;
    let repo = query.repo()?;
    let prompt = find(&state, &caller, &path, repo, query.version()?).await?;
    let body = prompt.body()?;
    let mut response = tagged(&request, &prompt.tag()?, &body);
    warn_if_archived(&mut response, body.is_archived);
    Ok(response)
}

/// The prompt a key means to the caller, showing `version` or its current one.
pub(super) async fn find(
    state: &State,
    caller: &Caller,
    key: &str,
    repo: Option<(&str, &str)>,
    version: Option<i32>,
) -> Result<StoredPrompt, Error> {
    if check_key(key).is_err() {
        return Err(Error::NoPromptWithKey(key.to_owned()));
    }
    let session = caller.session(&state.database);
    let found = match repo {
        Some((owner, slug)) => db::prompts::by_key_in(session, owner, slug, key).await?,
        None if caller.is_anonymous() => return Err(Error::SignedOut),
        None => db::prompts::by_key(session, key).await?,
    };
    let prompt = the_one_meant(key, found)?;
    let current = prompt.version()?.version;
    let Some(version) = version.filter(|version| *version != current) else {
        return Ok(prompt);
    };
    let shown = db::prompts::at_version(session, prompt.id()?, version).await?;
    shown.ok_or_else(|| Error::NoVersion(version.to_string()))
}

fn the_one_meant(key: &str, mut found: Vec<StoredPrompt>) -> Result<StoredPrompt, Error> {
    let mut meant = None;
    for (at, prompt) in found.iter().enumerate() {
        if prompt.is_preferred()? {
            meant = Some(at);
        }
    }
    if let Some(at) = meant {
        return Ok(found.swap_remove(at));
    }
    if found.is_empty() {
        return Err(Error::NoPromptWithKey(key.to_owned()));
    }
    let candidates: Result<Vec<Candidate>, Error> = found
        .iter()
        .map(|prompt| {
            Ok(Candidate {
                id: prompt.id()?,
                repo: prompt.repo()?,
            })
        })
        .collect();
    Err(Error::AmbiguousKey {
        key: key.to_owned(),
        candidates: candidates?,
    })
}
