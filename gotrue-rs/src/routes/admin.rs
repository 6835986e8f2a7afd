//! Routes for admins. Mirrors upstream's `admin.go`, `audit.go` and `mail.go`.

mod audit;
mod generate_link;
pub(crate) mod new_account;
mod paging;
mod users;

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, Route, web};

use crate::call::{Call, Serving};
use crate::caller::Admin;
use crate::error::Error;
use crate::middleware;
use crate::state::State;

/// Mounts the routes.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    audit::configure(cfg);
    generate_link::configure(cfg);
    users::configure(cfg);
    resource(cfg, &["/admin{rest:(/.*)?}"], Vec::new);
}

/// Registers the handlers of a path; who is asking is checked even before the path and the
/// method are.
fn resource(
    cfg: &mut web::ServiceConfig,
    paths: &[&'static str],
    routes: impl Fn() -> Vec<(Method, Route)>,
) {
    for path in paths {
        let handlers = routes();
        let allowed: Vec<_> = handlers.iter().map(|(method, _)| method.clone()).collect();
        let mut resource = web::resource(*path)
            .wrap(from_fn(middleware::token_first))
            .wrap(from_fn(middleware::around));
        for (_, handler) in handlers {
            resource = resource.route(handler);
        }
        let otherwise = move |state: Serving, call: Call| {
            let allowed = allowed.clone();
            async move { not_served(&state, &call, &allowed).await }
        };
        cfg.service(resource.default_service(web::to(otherwise)));
    }
}

async fn not_served(state: &State, call: &Call, allowed: &[Method]) -> Result<HttpResponse, Error> {
    Admin::authenticate(state, call).await?;
    if allowed.is_empty() {
        return Ok(middleware::not_found().await);
    }
    Ok(super::method_not_allowed(allowed))
}
