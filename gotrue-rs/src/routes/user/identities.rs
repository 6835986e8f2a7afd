//! `/user/identities`: ways to sign in. Mirrors `internal/api/identity.go`.

use actix_web::{HttpResponse, web};
use platform::pg::Tx;
use uuid::Uuid;

use crate::accounts::change::record;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Caller;
use crate::db;
use crate::db::identities::Identity;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::mail::{self, Notice};
use crate::refusal::Refusal;
use crate::routes::disabled::unsupported_provider;
use crate::state::State;

fn check_linking(state: &State) -> Result<(), Error> {
    if state.config.security.manual_linking {
        return Ok(());
    }
    Err(Error::not_found(
        ErrorCode::ManualLinkingDisabled,
        "Manual linking is disabled",
    ))
}

/// Linking starts at a provider, and none is built in yet.
pub(super) async fn get_authorize(
    state: Serving,
    _: Caller,
    call: Call,
) -> Result<HttpResponse, Error> {
    check_linking(&state)?;
    let provider = call.query("provider").unwrap_or_default();
    Err(unsupported_provider(provider))
}

/// Removes one of several identities of the caller.
pub(super) async fn delete_identity(
    state: Serving,
    caller: Caller,
    call: Call,
    identity_id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    check_linking(&state)?;
    let id = Uuid::parse_str(&identity_id).map_err(|_| {
        Error::not_found(ErrorCode::ValidationFailed, "identity_id must be an UUID")
    })?;
    let audience = call.audience(&state.config, Some(caller.claims()));
    if !caller.is_of_audience(&audience) {
        return Err(Error::forbidden(
            ErrorCode::UnexpectedAudience,
            "Token audience doesn't match request audience",
        ));
    }
    let unlink = async |tx: &Tx<'_>| unlink(&state, &call, tx, caller.user.id, id).await;
    let (user, identity) = state.db.transaction("unlink_identity", unlink).await?;
    let notice = Notice::IdentityUnlinked {
        provider: &identity.provider,
        to: &user.email,
    };
    mail::notify(&state, &user, notice).await;
    Ok(json::empty_object())
}

/// The identity to be removed, as long as it is not the last one.
fn removable(user: &User, id: Uuid) -> Result<Identity, Error> {
    if user.identities().len() <= 1 {
        return Err(Error::unprocessable(
            ErrorCode::SingleIdentityNotDeletable,
            "User must have at least 1 identity after unlinking",
        ));
    }
    let found = user.identities().iter().find(|identity| identity.id == id);
    found
        .cloned()
        .ok_or_else(|| Error::unprocessable(ErrorCode::IdentityNotFound, "Identity doesn't exist"))
}

/// Removes an identity; the user as it was before, and what was removed.
async fn unlink(
    state: &State,
    call: &Call,
    tx: &Tx<'_>,
    user_id: Uuid,
    identity_id: Uuid,
) -> Result<(User, Identity), Error> {
    let now = state.clock.now();
    let before = db::users::hold(tx, user_id)
        .await?
        .ok_or(Refusal::UserGone)?;
    let identity = removable(&before, identity_id)?;
    let entry = Entry::new(&before, Action::IdentityUnlinked)
        .seen_from(call.client_ip.as_deref())
        .trait_("identity_id", identity.id.to_string())
        .trait_("provider", identity.provider.as_str())
        .trait_("provider_id", identity.provider_id.as_str());
    record(state, tx, &entry).await?;
    db::identities::delete(tx, identity.id)
        .await
        .map_err(Error::saying("Database error deleting identity"))?;
    let mut user = before.clone();
    if identity.provider == "phone" {
        db::users::remove_phone(tx, user.id, now)
            .await
            .map_err(Error::saying("Database error updating user phone"))?;
    } else {
        rederive_email(state, tx, &user).await?;
    }
    db::users::refresh_providers(tx, &mut user, now)
        .await
        .map_err(Error::saying("Database error updating user providers"))?;
    Ok((before, identity))
}

/// An address that no identity stands for any more is replaced by that of the best one left:
/// verified before unverified, older before newer, as long as nobody else has it.
async fn rederive_email(state: &State, tx: &Tx<'_>, user: &User) -> Result<(), Error> {
    let mut left = db::identities::of_user(tx, user.id).await?;
    if left.iter().any(|identity| identity.email == user.email) {
        return Ok(());
    }
    left.sort_by_key(
        |identity| match (identity.email.is_empty(), identity.is_email_verified()) {
            (true, _) => 2,
            (false, false) => 1,
            (false, true) => 0,
        },
    );
    let mut chosen = None;
    for identity in &left {
        if db::users::by_email(tx, &identity.email, &user.aud)
            .await?
            .is_none()
        {
            chosen = Some(identity);
            break;
        }
    }
    let chosen = chosen.ok_or_else(|| {
        Error::unprocessable(
            ErrorCode::EmailConflictIdentityNotDeletable,
            "Unable to unlink identity due to email conflict",
        )
    })?;
    let vouched = chosen.is_email_verified() || state.config.mail.autoconfirm;
    let stays_confirmed = vouched && !chosen.email.is_empty();
    let now = state.clock.now();
    db::users::replace_email(tx, user.id, &chosen.email, stays_confirmed, now)
        .await
        .map_err(|error| {
            if error.code().is_some_and(|code| code.code() == "23505") {
                Error::unprocessable(
                    ErrorCode::EmailConflictIdentityNotDeletable,
                    "Unable to unlink identity due to email conflict",
                )
            } else {
                Error::internal("Database error updating user email").with_source(error)
            }
        })
}
