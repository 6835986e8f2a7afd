//! `/admin/users/{user_id}/factors`: the second factors of a user. Mirrors upstream's `admin.go`.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, delete, get, put};
use platform::pg::Tx;
use serde::Deserialize;
use uuid::Uuid;

use super::load;
use crate::accounts::change::record;
use crate::accounts::validate;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::factors::Factor;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::routes::resource;
use crate::sessions::AuthMethod;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UpdateFactorBody {
    friendly_name: String,
    phone: String,
}

/// Mounts the routes.
pub(super) fn configure(cfg: &mut Mount<'_>) {
    let all = [
        "/admin/users/{user_id}/factors",
        "/admin/users/{user_id}/factors/",
    ];
    resource::<Admin, _>(cfg, &all, || [get(list_factors)]);
    let one = [
        "/admin/users/{user_id}/factors/{factor_id}",
        "/admin/users/{user_id}/factors/{factor_id}/",
    ];
    resource::<Admin, _>(cfg, &one, || [put(update_factor), delete(delete_factor)]);
}

/// `GET`, for admins.
async fn list_factors(
    state: Serving,
    _: Admin,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let user = load(&state, &id).await?;
    Ok(json::respond(StatusCode::OK, &user.factors))
}

/// The user and the factor a path names.
async fn load_factor(state: &State, path: &(String, String)) -> Result<(User, Factor), Error> {
    let user = load(state, &path.0).await?;
    let id = Uuid::parse_str(&path.1)
        .map_err(|_| Error::not_found(ErrorCode::ValidationFailed, "factor_id must be an UUID"))?;
    let found = user.factors.iter().find(|factor| factor.id == id).cloned();
    let factor =
        found.ok_or_else(|| Error::not_found(ErrorCode::MfaFactorNotFound, "Factor not found"))?;
    Ok((user, factor))
}

/// `PUT`, for admins: another name or number.
async fn update_factor(
    state: Serving,
    admin: Admin,
    call: Call,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Error> {
    let (user, mut factor) = load_factor(&state, &path).await?;
    let body: UpdateFactorBody = call.json()?;
    let name = Some(body.friendly_name).filter(|name| !name.is_empty());
    let phone = if !body.phone.is_empty() && factor.factor_type == "phone" {
        Some(validate::phone(&body.phone)?)
    } else {
        None
    };
    factor.friendly_name = name.clone().unwrap_or(factor.friendly_name);
    factor.phone = phone.clone().unwrap_or(factor.phone);
    let now = state.clock.now();
    factor.updated_at = db::identities::micros(now);
    let entry = Entry::new(&admin.actor(), Action::FactorUpdated)
        .trait_("user_id", user.id.to_string())
        .trait_("factor_id", factor.id.to_string())
        .trait_("factor_type", factor.factor_type.as_str());
    let update = async |tx: &Tx<'_>| -> Result<(), Error> {
        db::mfa::rename(tx, factor.id, name.as_deref(), phone.as_deref(), now).await?;
        record(&state, tx, &entry).await
    };
    state.db.transaction("admin_update_factor", update).await?;
    Ok(json::respond(StatusCode::OK, &factor))
}

/// `DELETE`, for admins; the sessions it raised sink back.
async fn delete_factor(
    state: Serving,
    _: Admin,
    call: Call,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Error> {
    let (user, factor) = load_factor(&state, &path).await?;
    let entry = Entry::new(&user, Action::FactorDeleted)
        .seen_from(call.client_ip.as_deref())
        .trait_("user_id", user.id.to_string())
        .trait_("factor_id", factor.id.to_string());
    let method = AuthMethod::of_factor(&factor.factor_type).as_str();
    let delete = async |tx: &Tx<'_>| -> Result<(), Error> {
        record(&state, tx, &entry).await?;
        let now = state.clock.now();
        db::mfa::unenroll(tx, factor.id, user.id, method, now)
            .await
            .map_err(Error::saying("Database error deleting factor"))
    };
    state.db.transaction("admin_delete_factor", delete).await?;
    Ok(json::respond(StatusCode::OK, &factor))
}
