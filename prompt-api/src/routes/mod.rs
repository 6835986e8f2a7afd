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
use actix_web::dev::{HttpServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue, WARNING};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse, ResponseError as _, web};
use platform::http::body;
use platform::http::cors::CorsRules;
use platform::http::mount::{Mount, Mounted, Served};
use serde::Serialize;

use crate::caller::UserOfRequest;
use crate::error::Error;
use crate::etag;
use crate::state::State;

/// Mounts all routes under their final addresses.
pub fn configure(config: &mut web::ServiceConfig, state: &web::Data<State>) {
    config.app_data(web::Data::clone(state));
    mount(config, state.debug_endpoints, &mut Vec::new());
}

/// Every route, with the types of what its handler takes.
pub(crate) fn mounted() -> Vec<Mounted> {
    let mut mounted = Vec::new();
    let _ = App::new().configure(|config| mount(config, true, &mut mounted));
    mounted
}

fn mount(config: &mut web::ServiceConfig, has_debug: bool, mounted: &mut Vec<Mounted>) {
    let mut top = Mount::below("", config, mounted);
    health::configure(&mut top);
    docs::configure(&mut top);
    if has_debug {
        debug::configure(&mut top);
    }
    // What these prefixes do not have is refused here, so that no page of an app answers for them.
    for prefix in ["/health", "/metrics", "/docs", "/debug"] {
        config.service(web::scope(prefix).default_service(web::to(no_route)));
    }
    let api = web::scope("/api")
        .wrap(from_fn(apply_cors))
        .configure(|config| {
            let mut api = Mount::below("/api", config, mounted);
            waitlist::configure(&mut api);
            openapi::configure(&mut api);
            config.service(v1(mounted));
        });
    config.service(api.default_service(web::to(no_route)));
}

/// What signed-in users and their programs call.
fn v1(mounted: &mut Vec<Mounted>) -> impl HttpServiceFactory + use<> {
    web::scope("/v1")
        .wrap(from_fn(count_call))
        .wrap(from_fn(refuse_when_full))
        .configure(|config| {
            let mut v1 = Mount::below("/api/v1", config, mounted);
            by_key::configure(&mut v1);
            compile::configure(&mut v1);
            versions::configure(&mut v1);
            prompts::configure(&mut v1);
            organizations::configure(&mut v1);
            repositories::configure(&mut v1);
            stats::configure(&mut v1);
        })
        .default_service(web::to(no_route))
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
