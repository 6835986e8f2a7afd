//! Compiling stored prompts and pasted templates.

use actix_web::http::header::ContentType;
use actix_web::{HttpRequest, HttpResponse, web};
use platform::http::mount::{Mount, post};

use super::list::ANSWER_BYTES;
use super::{by_key, resource, warn_if_archived};
use crate::caller::{Caller, SignedIn};
use crate::compile::Variables;
use crate::compile_request::{CompileRequest, CompiledPrompt};
use crate::error::Error;
use crate::json::{COMPILE_BODY_LIMIT, Json};
use crate::prompts::content_hash;
use crate::query::{Query, repository_address};
use crate::state::State;

pub(super) fn configure(mount: &mut Mount<'_>) {
    resource(mount, "/prompts/compile/{key}", [post(compile_prompt)]);
    resource(mount, "/compile", [post(compile_text)]);
}

/// Fills a stored prompt with values.
///
/// The body is `{"variables": {…}, "version", "strict", "timezone", "now", "repo"}`, or, without
/// `variables`, the variables themselves.
#[utoipa::path(
    post, path = "/api/v1/prompts/compile/{key}", tag = "Compile",
    params(("key" = String, Path), ("repo" = Option<String>, Query, description = "`owner/slug`")),
    request_body = Object,
    responses(
        (status = 200, body = CompiledPrompt), (status = 400), (status = 401), (status = 404),
        (status = 409), (status = 413),
        (status = 422, description = "`missing_variables` with `strict`, or an unusable option"),
    )
)]
pub(super) async fn compile_prompt(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    request: HttpRequest,
    Json(body): Json<Variables, COMPILE_BODY_LIMIT>,
) -> Result<HttpResponse, Error> {
    let wanted = CompileRequest::for_prompt(body)?;
    let query = Query::parse(request.query_string())?;
    let repo = match wanted.repo.as_deref() {
        Some(address) => Some(repository_address(address)?),
        None => query.repo()?,
    };
    let version = wanted.version.or(query.version()?);
    let prompt = by_key::find(&state, &caller, &path, repo, version).await?;
    let version = prompt.version()?;
    let compiled = wanted.compile(version.template, state.clock.now())?;
    let mut answer = CompiledPrompt::new(compiled, version.content_hash.to_owned());
    answer.key = Some(path.into_inner());
    answer.version = Some(version.version);
    let mut response = respond(&answer)?;
    warn_if_archived(&mut response, prompt.body()?.is_archived);
    Ok(response)
}

/// Fills a pasted template with values.
#[utoipa::path(
    post, path = "/api/v1/compile", tag = "Compile", request_body = Object,
    security(("bearer" = [])),
    responses(
        (status = 200, body = CompiledPrompt), (status = 400), (status = 401), (status = 413),
        (status = 422),
    )
)]
pub(super) async fn compile_text(
    state: web::Data<State>,
    _caller: SignedIn,
    Json(body): Json<Variables, COMPILE_BODY_LIMIT>,
) -> Result<HttpResponse, Error> {
    let wanted = CompileRequest::for_text(body)?;
    let template = wanted.template.as_deref().unwrap_or_default();
    let compiled = wanted.compile(template, state.clock.now())?;
    respond(&CompiledPrompt::new(compiled, content_hash(template)))
}

/// The answer, unless it is too long: a control character takes six bytes of JSON, and a template
/// can repeat one value many times.
fn respond(compiled: &CompiledPrompt) -> Result<HttpResponse, Error> {
    let text = serde_json::to_vec(compiled).map_err(Error::Unwritable)?;
    if text.len() > ANSWER_BYTES {
        let message = "The answer would be longer than 2 MiB";
        return Err(Error::field("variables", message));
    }
    Ok(HttpResponse::Ok()
        .insert_header(ContentType::json())
        .body(text))
}
