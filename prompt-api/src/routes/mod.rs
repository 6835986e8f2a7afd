//! The HTTP routes.

mod by_key;
mod compile;
mod debug;
mod docs;
mod health;
mod list;
mod organizations;
mod prompts;
mod repositories;
mod stats;
mod versions;
mod waitlist;

pub(crate) mod openapi;

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue, WARNING};
use actix_web::middleware::{Next, from_fn};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, ResponseError as _, web};
use platform::http::body;
use platform::http::cors::CorsRules;
use platform::http::mount::{Mount, Served};
use serde::Serialize;

use crate::caller::UserOfRequest;
use crate::error::Error;
use crate::etag;
use crate::state::State;

/// Mounts all routes under their final addresses.
pub fn mount(mount: &mut Mount<'_>, state: &web::Data<State>) {
    mount.data(web::Data::clone(state));
    health::configure(mount);
    docs::configure(mount);
    if state.debug_endpoints {
        debug::configure(mount);
    }
    // What these prefixes do not have is refused here, so that no page of an app answers for them.
    for prefix in ["/health", "/metrics", "/docs", "/debug"] {
        mount.scope(
            prefix,
            |_| {},
            |scope| scope.default_service(web::to(no_route)),
        );
    }
    let api = |api: &mut Mount<'_>| {
        waitlist::configure(api);
        openapi::configure(api);
        v1(api);
    };
    mount.scope("/api", api, |scope| {
        scope
            .wrap(from_fn(apply_cors))
            .default_service(web::to(no_route))
    });
}

/// What signed-in users and their programs call.
fn v1(api: &mut Mount<'_>) {
    let v1 = |v1: &mut Mount<'_>| {
        by_key::configure(v1);
        compile::configure(v1);
        versions::configure(v1);
        prompts::configure(v1);
        organizations::configure(v1);
        repositories::configure(v1);
        stats::configure(v1);
    };
    api.scope("/v1", v1, |scope| {
        scope
            .wrap(from_fn(count_call))
            .wrap(from_fn(refuse_when_full))
            .default_service(web::to(no_route))
    });
}

/// The handlers of a path; other methods are refused.
fn resource(mount: &mut Mount<'_>, path: &str, handlers: impl IntoIterator<Item = Served>) {
    mount.resource(path, handlers, web::to(wrong_method));
}

async fn no_route() -> Result<HttpResponse, Error> {
    Err(Error::NoRoute)
}

/// For a resource that has no handler for the method.
async fn wrong_method() -> Result<HttpResponse, Error> {
    Err(Error::MethodNotAllowed)
}

/// Any origin may call; that is what access tokens are for.
async fn apply_cors<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let rules = CorsRules {
        methods: &["GET", "POST", "PATCH", "DELETE"],
        allowed_headers: vec!["*".to_owned()],
        exposed_headers: "ETag, Link, Location, Retry-After, Warning, X-Request-Id, X-Total-Count",
        credentials: false,
    };
    rules.apply(request, next).await
}

/// Sends no long answer while as many bytes are held as may be, for this client or for all: short
/// ones are always sent.
async fn refuse_when_full<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let response = next.call(request).await?;
    // What has been written stays written: only what can be asked again is taken back.
    let is_safe = response.request().method().is_safe();
    let size = response.response().body().size();
    if is_safe && body::is_too_much(response.request(), size) {
        return Ok(response.into_response(Error::Busy.error_response()));
    }
    Ok(response.map_into_boxed_body())
}

/// Counts the calls of signed-in users.
async fn count_call<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let started = Instant::now();
    let response = next.call(request).await?;
    let user = response
        .request()
        .extensions()
        .get::<UserOfRequest>()
        .copied();
    let state = response.request().app_data::<web::Data<State>>();
    if let (Some(UserOfRequest(user)), Some(state)) = (user, state) {
        state
            .usage
            .record(user, state.clock.now(), started.elapsed());
    }
    Ok(response)
}

/// A tagged answer, or 304 if the client has it already.
fn tagged(request: &HttpRequest, tag: &str, body: &impl Serialize) -> HttpResponse {
    let mut response = if etag::is_known(request.headers(), tag) {
        HttpResponse::NotModified().finish()
    } else {
        HttpResponse::Ok().json(body)
    };
    set_tag(&mut response, tag);
    response
}

/// Says so if the prompt is archived: it still answers, but its owners mean to stop using it.
fn warn_if_archived(response: &mut HttpResponse, is_archived: bool) {
    if is_archived {
        let warning = HeaderValue::from_static("299 - \"This prompt is archived\"");
        response.headers_mut().insert(WARNING, warning);
    }
}

fn set_tag(response: &mut HttpResponse, tag: &str) {
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

/// The id in an address; what is no id is the id of nothing.
fn prompt_id(text: &str) -> Result<i64, Error> {
    text.parse()
        .map_err(|_| Error::NoPromptWithId(text.to_owned()))
}
