//! Making a pending address or number the user's own.
//!
//! Mirrors the final legs of upstream's `emailChangeVerify` and `smsVerify`.

use platform::pg::Executor;

use super::identity::{verified_email, verified_phone};
use crate::audit::{Action, Entry};
use crate::db;
use crate::db::identities::{Identity, micros};
use crate::db::users::User;
use crate::error::Error;
use crate::json::Document;
use crate::state::State;

/// Makes `user.email_change` the user's address; it counts as proved.
pub(crate) async fn confirm_email_change(
    state: &State,
    db: &impl Executor,
    user: &mut User,
) -> Result<(), Error> {
    let now = state.clock.now();
    record(state, db, &Entry::new(user, Action::UserModified)).await?;
    let email = std::mem::take(&mut user.email_change);
    let news = Document::default()
        .with("email", email.as_str())
        .with("email_verified", true);
    let fresh = verified_email(user.id, &email);
    upsert(
        state,
        db,
        user,
        Proof {
            provider: "email",
            news,
            fresh,
        },
    )
    .await?;
    if user.is_anonymous {
        db::users::become_permanent(db, user, now).await?;
    }
    user.identities = Some(db::identities::of_user(db, user.id).await?);
    user.email_change_token_current.clear();
    user.email_change_token_new.clear();
    user.email_change_confirm_status = 0;
    user.email = email;
    user.updated_at = micros(now);
    let failed = || Error::saying("Error confirm email");
    // Upstream: a server error where somebody else has confirmed the address meanwhile.
    db::users::confirm_email_change(db, user.id, &user.email, now)
        .await
        .map_err(failed())
        .map_err(Error::or_taken)?;
    if !user.is_confirmed() {
        db::users::confirm_email(db, user, now)
            .await
            .map_err(failed())?;
    }
    Ok(())
}

/// Makes `phone` the user's number; it counts as proved.
pub(crate) async fn confirm_phone_change(
    state: &State,
    db: &impl Executor,
    user: &mut User,
    phone: &str,
) -> Result<(), Error> {
    let now = state.clock.now();
    record(state, db, &Entry::new(user, Action::UserModified)).await?;
    let news = Document::default()
        .with("phone", phone)
        .with("phone_verified", true);
    let fresh = verified_phone(user.id, phone);
    upsert(
        state,
        db,
        user,
        Proof {
            provider: "phone",
            news,
            fresh,
        },
    )
    .await?;
    // Upstream: a server error where somebody else has got the number meanwhile.
    db::phone_codes::confirm_change(db, user.id, phone, now)
        .await
        .map_err(|error| {
            Error::internal("Error confirming user")
                .with_source(error)
                .or_taken()
        })?;
    phone.clone_into(&mut user.phone);
    user.phone_change.clear();
    user.phone_change_token.clear();
    user.phone_confirmed_at = Some(now);
    user.updated_at = micros(now);
    if user.is_anonymous {
        db::users::become_permanent(db, user, now).await?;
    }
    user.identities = Some(db::identities::of_user(db, user.id).await?);
    Ok(())
}

/// What has just been proved about a user.
struct Proof {
    provider: &'static str,
    /// What an identity that exists learns.
    news: Document,
    /// What an identity says that does not exist yet.
    fresh: Document,
}

/// Updates the identity of this provider, or creates it.
async fn upsert(state: &State, db: &impl Executor, user: &User, proof: Proof) -> Result<(), Error> {
    let now = state.clock.now();
    let sub = user.id.to_string();
    if let Some(identity) = db::identities::by_provider(db, &sub, proof.provider).await? {
        return Ok(db::identities::merge_data(db, identity.id, &proof.news, now).await?);
    }
    let identity = Identity::new(user.id, proof.provider, proof.fresh, now);
    db::identities::insert(db, &identity)
        .await
        .map_err(Error::saying("Error creating identity"))
}

/// Stores an event, unless events are only logged.
pub(crate) async fn record(state: &State, db: &impl Executor, entry: &Entry) -> Result<(), Error> {
    entry.log();
    if state.config.audit_in_database {
        db::audit::insert(db, entry, state.clock.now()).await?;
    }
    Ok(())
}
