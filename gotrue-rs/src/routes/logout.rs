//! `POST /logout`. Mirrors `internal/api/logout.go`.

use actix_web::HttpResponse;
use actix_web::middleware::from_fn;
use platform::http::mount::{Mount, post};
use platform::pg::Tx;

use crate::accounts::change::record;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Caller;
use crate::db;
use crate::error::Error;
use crate::extract::{Anybody, Serving, gate};
use crate::routes::resource;
use crate::state::State;

/// Which of a user's sessions end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Global,
    Local,
    Others,
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/logout"], || {
        [post(post_logout).around(|route| route.wrap(from_fn(gate::<Caller, _>)))]
    });
}

/// Ends sessions; a token without a session ends all of them, whatever the scope.
async fn post_logout(state: Serving, caller: Caller, call: Call) -> Result<HttpResponse, Error> {
    let scope = match call.query("scope").unwrap_or_default() {
        "" | "global" => Scope::Global,
        "local" => Scope::Local,
        "others" => Scope::Others,
        other => {
            return Err(Error::invalid(format!(
                "Unsupported logout scope {other:?}"
            )));
        }
    };
    let end = async |tx: &Tx<'_>| end_sessions(&state, tx, &caller, scope).await;
    state
        .db
        .transaction("logout", end)
        .await
        .map_err(|error| match error {
            Error::Unexpected(cause) => {
                Error::internal("Error logging out user").with_source(cause)
            }
            other => other,
        })?;
    Ok(HttpResponse::NoContent().finish())
}

async fn end_sessions(
    state: &State,
    tx: &Tx<'_>,
    caller: &Caller,
    scope: Scope,
) -> Result<(), Error> {
    let user = &caller.user;
    record(state, tx, &Entry::new(user, Action::Logout)).await?;
    match (scope, &caller.session) {
        (Scope::Local, Some(session)) => db::sessions::delete(tx, session.id).await?,
        (Scope::Others, Some(session)) => {
            db::sessions::delete_of_user(tx, user.id, Some(session.id)).await?;
        }
        _ => db::sessions::delete_of_user(tx, user.id, None).await?,
    }
    Ok(())
}
