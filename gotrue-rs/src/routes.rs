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

use actix_web::http::Method;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::middleware::{Next, from_fn};
use actix_web::{HttpResponse, web};
use platform::http::cors::CorsRules;
use platform::http::mount::{Mount, Served, any};
use serde::Serialize;

use crate::config::Config;
use crate::extract::{Gate, gate};
use crate::middleware;
use crate::state::State;

/// Mounts the service; `state` is shared by all workers.
pub fn mount(mount: &mut Mount<'_>, state: &web::Data<State>) {
    let cors = cross_origin(&state.config);
    let all = |mount: &mut Mount<'_>| {
        mount.data(state.clone());
        routes(mount);
    };
    mount.scope("", all, |scope| {
        scope
            .wrap(from_fn(move |request, next: Next<_>| {
                let cors = cors.clone();
                async move { cors.apply(request, next).await }
            }))
            .default_service(web::to(|| std::future::ready(middleware::not_found())))
    });
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
fn resource<G: Gate, const N: usize>(
    cfg: &mut Mount<'_>,
    paths: &[&'static str],
    routes: impl Fn() -> [Served; N],
) {
    for path in paths {
        let handlers = routes();
        let allowed: Vec<Method> = handlers
            .iter()
            .filter_map(Served::method)
            .cloned()
            .collect();
        let otherwise = || web::to(move || std::future::ready(not_served(&allowed)));
        // Around the resource rather than the scope: what answers for a handler that panics or
        // takes too long needs a copy of the request, and copies are only made once it is routed.
        cfg.gated::<G, _>(path, handlers, otherwise, |resource| {
            resource
                .wrap(from_fn(gate::<G, _>))
                .wrap(from_fn(middleware::around))
        });
    }
}

/// For what is not there, which not everybody may know.
fn nothing() -> [Served; 1] {
    [any(|| std::future::ready(middleware::not_found()))]
}

/// What is said about a message that was asked for.
#[derive(Serialize)]
struct MessageBody<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    message_id: &'a str,
}

/// 405 with one `Allow` header per method.
fn not_served(allowed: &[Method]) -> HttpResponse {
    let mut response = HttpResponse::MethodNotAllowed();
    for method in allowed {
        if let Ok(value) = HeaderValue::from_str(method.as_str()) {
            response.append_header((ALLOW, value));
        }
    }
    response.finish()
}
