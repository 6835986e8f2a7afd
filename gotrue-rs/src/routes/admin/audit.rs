//! `GET /admin/audit`: what happened, newest first.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::paging::Page;
use platform::http::mount::{Mount, get};

use crate::call::Call;
use crate::caller::Admin;
use crate::db::audit_search::{self, Scope, Search};
use crate::error::Error;
use crate::extract::Serving;
use crate::json;
use crate::routes::resource;

/// Mounts the route.
pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Admin, _>(cfg, &["/admin/audit", "/admin/audit/"], || {
        [get(search_audit_log)]
    });
}

/// For admins.
async fn search_audit_log(state: Serving, _: Admin, call: Call) -> Result<HttpResponse, Error> {
    let page = Page::of(&call)?;
    let (scope, text) = scope(call.query("query").unwrap_or_default())?;
    let search = Search {
        scope,
        text,
        limit: page.limit(),
        offset: page.offset(),
    };
    let client = state.client().await?;
    let (entries, total) = audit_search::find(&client, &search)
        .await
        .map_err(Error::saying("Error searching for audit logs"))?;
    let mut response = json::respond(StatusCode::OK, &entries);
    page.add_headers(&call, total, &mut response);
    Ok(response)
}

/// Reads `author:ada` and the like; nothing searches for everything.
fn scope(query: &str) -> Result<(Option<Scope>, &str), Error> {
    if query.is_empty() {
        return Ok((None, ""));
    }
    let scope = query.split_once(':').and_then(|(scope, text)| match scope {
        "author" => Some((Some(Scope::Author), text)),
        "action" => Some((Some(Scope::Action), text)),
        "type" => Some((Some(Scope::Type), text)),
        _ => None,
    });
    scope.ok_or_else(|| Error::invalid(format!("Invalid query scope: {query}")))
}
