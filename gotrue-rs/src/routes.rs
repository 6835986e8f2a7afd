//! The routes, one module per resource.
//!
//! Mirrors the router of upstream's `internal/api/api.go`. Paths that upstream declares as
//! sub-routers answer with and without a trailing slash, the others without only.

mod admin;
mod disabled;
mod factors;
mod health;
mod invite;
mod logout;
mod magiclink;
mod otp;
mod reauthenticate;
mod recover;
mod resend;
mod settings;
mod signup;
mod token;
mod user;
mod verify;
mod well_known;

use std::any::type_name;

use actix_web::http::Method;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, HttpResponse, Route, web};
use platform::http::cors::CorsRules;
use platform::http::mount::{Mount, Mounted};
use serde::Serialize;

use crate::config::Config;
use crate::extract::{Gate, gate};
use crate::middleware;
use crate::state::State;

/// Mounts the service; `state` is shared by all workers.
pub fn configure(cfg: &mut web::ServiceConfig, state: &web::Data<State>) {
    let cors = cross_origin(&state.config);
    let scope = web::scope("")
        .app_data(state.clone())
        .wrap(from_fn(move |request, next: Next<_>| {
            let cors = cors.clone();
            async move { cors.apply(request, next).await }
        }))
        .configure(|cfg| routes(&mut Mount::below("", cfg, &mut Vec::new())))
        .default_service(web::to(|| std::future::ready(middleware::not_found())));
    cfg.service(scope);
}

/// Every route, with the type of its gate.
pub(crate) fn mounted() -> Vec<Mounted> {
    let mut mounted = Vec::new();
    let _ = App::new().configure(|cfg| routes(&mut Mount::below("", cfg, &mut mounted)));
    mounted
}

fn routes(cfg: &mut Mount<'_>) {
    health::configure(cfg);
    settings::configure(cfg);
    well_known::configure(cfg);
    signup::configure(cfg);
    token::configure(cfg);
    logout::configure(cfg);
    disabled::configure(cfg);
    factors::configure(cfg);
    user::configure(cfg);
    otp::configure(cfg);
    magiclink::configure(cfg);
    verify::configure(cfg);
    resend::configure(cfg);
    recover::configure(cfg);
    reauthenticate::configure(cfg);
    invite::configure(cfg);
    admin::configure(cfg);
}

/// Any page may call; these are the headers it may send and read.
fn cross_origin(config: &Config) -> CorsRules {
    const HEADERS: [&str; 8] = [
        "accept",
        "authorization",
        "content-type",
        "x-client-ip",
        "x-client-info",
        "x-jwt-aud",
        "x-use-cookie",
        "x-supabase-api-version",
    ];
    let further = config
        .cors_allowed_headers
        .iter()
        .map(|name| name.trim().to_lowercase());
    CorsRules {
        methods: &["GET", "POST", "PUT", "PATCH", "DELETE"],
        allowed_headers: HEADERS
            .iter()
            .map(|name| (*name).to_owned())
            .chain(further)
            .collect(),
        exposed_headers: "X-Total-Count, Link, X-Supabase-Api-Version",
        credentials: true,
    }
}

/// Registers the handlers of a path, which may have several spellings, for those whom the gate
/// lets in; other methods are answered as Go's router does.
fn resource<G: Gate>(
    cfg: &mut Mount<'_>,
    paths: &[&'static str],
    routes: impl Fn() -> Vec<(Method, Route)>,
) {
    for path in paths {
        let (allowed, handlers): (Vec<Method>, Vec<_>) = routes().into_iter().unzip();
        for method in &allowed {
            cfg.note(path, method.as_str(), type_name::<G>());
        }
        let otherwise = move || std::future::ready(not_served(&allowed));
        mount::<G>(cfg, path, handlers, web::to(otherwise));
    }
}

/// Registers what answers all methods of a path, for those whom the gate lets in.
fn whole<G: Gate>(cfg: &mut Mount<'_>, path: &'static str, handler: Route) {
    cfg.note(path, "any", type_name::<G>());
    mount::<G>(cfg, path, Vec::new(), handler);
}

/// Registers handlers for those whom the gate lets in, and what all other methods get.
fn mount<G: Gate>(cfg: &mut Mount<'_>, path: &'static str, handlers: Vec<Route>, otherwise: Route) {
    // Around the resource rather than the scope: what answers for a handler that panics or
    // takes too long needs a copy of the request, and copies are only made once it is routed.
    let mut resource = web::resource(path)
        .wrap(from_fn(gate::<G, _>))
        .wrap(from_fn(middleware::around));
    for handler in handlers {
        resource = resource.route(handler);
    }
    cfg.config().service(resource.default_service(otherwise));
}

/// What is said about a message that was asked for.
#[derive(Serialize)]
struct MessageBody<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    message_id: &'a str,
}

/// 405 with one `Allow` header per method, or 404 where there is none.
fn not_served(allowed: &[Method]) -> HttpResponse {
    if allowed.is_empty() {
        return middleware::not_found();
    }
    let mut response = HttpResponse::MethodNotAllowed();
    for method in allowed {
        if let Ok(value) = HeaderValue::from_str(method.as_str()) {
            response.append_header((ALLOW, value));
        }
    }
    response.finish()
}
