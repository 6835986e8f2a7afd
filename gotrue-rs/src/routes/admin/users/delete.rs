//! `DELETE /admin/users/{user_id}`.

use actix_web::{HttpResponse, web};
use platform::pg::DbError;
use serde::Deserialize;

use super::load;
use crate::accounts::change::record;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db::{self, user_changes};
use crate::error::Error;
use crate::extract::Serving;
use crate::json;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DeleteBody {
    should_soft_delete: bool,
}

/// For admins: removes a user, or everything that tells who it was.
pub(super) async fn delete_user(
    state: Serving,
    admin: Admin,
    call: Call,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let user = load(&state, &id).await?;
    let soft = if call.has_body() {
        call.json::<DeleteBody>()?.should_soft_delete
    } else {
        false
    };
    let entry = Entry::new(&admin.actor(), Action::UserDeleted)
        .trait_("user_id", user.id.to_string())
        .trait_("user_email", user.email.as_str())
        .trait_("user_phone", user.phone.as_str());
    let failed =
        |text: &'static str| move |error: DbError| Error::internal(text).with_source(error);
    state
        .db
        .transaction("delete_user", async |tx| {
            record(&state, tx, &entry)
                .await
                .map_err(Error::saying("Error recording audit log entry"))?;
            if !soft {
                return user_changes::delete(tx, user.id)
                    .await
                    .map_err(failed("Database error deleting user"));
            }
            match db::users::hold(tx, user.id).await? {
                Some(user) if user.deleted_at.is_none() => {
                    user_changes::soft_delete(tx, &user, state.clock.now())
                        .await
                        .map_err(failed("Error soft deleting user"))
                }
                _ => Ok(()),
            }
        })
        .await?;
    Ok(json::empty_object())
}
