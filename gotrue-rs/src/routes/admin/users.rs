//! `/admin/users`: reading, creating, changing and deleting users.

mod create;
mod delete;
mod factors;
mod list;
mod params;
mod update;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, delete, get, post, put};
use uuid::Uuid;

use crate::caller::Admin;
use crate::db;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::routes::resource;
use crate::state::State;

/// Mounts the routes.
pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Admin, _>(cfg, &["/admin/users", "/admin/users/"], || {
        [get(list::list_users), post(create::create_user)]
    });
    resource::<Admin, _>(
        cfg,
        &["/admin/users/{user_id}", "/admin/users/{user_id}/"],
        || {
            [
                get(get_user),
                put(update::update_user),
                delete(delete::delete_user),
            ]
        },
    );
    factors::configure(cfg);
}

/// The user a path names.
async fn load(state: &State, id: &str) -> Result<User, Error> {
    let id = Uuid::parse_str(id)
        .map_err(|_| Error::not_found(ErrorCode::ValidationFailed, "user_id must be an UUID"))?;
    let client = state.client().await?;
    db::users::by_id(&client, id)
        .await
        .map_err(Error::saying("Database error loading user"))?
        .ok_or_else(unknown)
}

fn unknown() -> Error {
    Error::not_found(ErrorCode::UserNotFound, "User not found")
}

/// `GET /admin/users/{user_id}`, for admins.
async fn get_user(state: Serving, _: Admin, id: web::Path<String>) -> Result<HttpResponse, Error> {
    let user = load(&state, &id).await?;
    Ok(json::respond(StatusCode::OK, &user))
}

/// Whatever fails while a user is being stored is told in one sentence; the cause decides
/// whether older clients see what Postgres said. What the client did wrong is told as it is.
fn in_one_sentence(error: Error, sentence: &'static str) -> Error {
    match error {
        refusal if refusal.http_status().is_client_error() => refusal,
        Error::Unexpected(source)
        | Error::Http {
            source: Some(source),
            ..
        } => Error::internal(sentence).with_source(source),
        other => Error::internal(sentence).with_source(other),
    }
}
