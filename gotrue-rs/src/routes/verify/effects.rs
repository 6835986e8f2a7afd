//! What redeeming a token does to the user.

use platform::pg::{DbError, Tx};

use super::{OwnedNotice, Redemption};
use crate::accounts::change::{confirm_phone_change, record};
use crate::accounts::identity::{Proof, start_over, unverified, verified_email};
use crate::audit::{Action, Entry};
use crate::db;
use crate::db::code_data::{self, Token};
use crate::db::user_changes as changes;
use crate::db::users::User;
use crate::error::Error;
use crate::json::Document;
use crate::state::State;

/// A sign-up or an invitation: the address is confirmed.
pub(super) async fn confirm_signup(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
) -> Result<(), Error> {
    let now = state.clock.now();
    if !user.has_password() && user.invited_at.is_some() {
        // Upstream: sets a random password. None does the same for nobody's time; the other
        // tokens are void either way.
        db::users::set_password(tx, user, Some(""), None, now)
            .await
            .map_err(Error::saying("Error storing password"))?;
    }
    signed_up(state, tx, user, "email").await?;
    db::users::confirm_email(tx, user, now)
        .await
        .map_err(Error::saying("Error confirming user"))?;
    let email = user.email.clone();
    for identity in user.identities.iter_mut().flatten() {
        if identity.email.is_empty() || identity.email != email {
            continue;
        }
        let news = Document::default().with("email_verified", true);
        identity.identity_data.merge(&news);
        db::identities::merge_data(tx, identity.id, &news, now)
            .await
            .map_err(|error| {
                Error::internal("Error setting email_verified to true on identity")
                    .with_source(error)
            })?;
    }
    Ok(())
}

/// A recovery or a magic link: the token is spent. If it is what first confirms the address, the
/// account starts over.
pub(super) async fn recover(state: &State, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
    let wrapped = |error: Error| Error::internal("Database error updating user").with_source(error);
    let failed = |error: DbError| wrapped(error.into());
    let now = state.clock.now();
    let token = Token {
        user_id: user.id,
        stored: &user.recovery_token.clone(),
    };
    changes::spend_recovery(tx, user, now)
        .await
        .map_err(failed)?;
    if user.is_confirmed() {
        let entry = Entry::new(user, Action::Login);
        return record(state, tx, &entry).await.map_err(wrapped);
    }
    let proof = Proof {
        provider: "email",
        data: verified_email(user.id, &user.email),
        said: code_data::said_with(tx, token).await.map_err(failed)?,
    };
    start_over(tx, user, proof, now).await.map_err(failed)?;
    let entry = Entry::new(user, Action::UserSignedUp).trait_("provider", "email");
    record(state, tx, &entry).await.map_err(wrapped)?;
    db::users::confirm_email(tx, user, now)
        .await
        .map_err(failed)
}

/// A code to sign in by a number nobody had confirmed: the account starts over.
pub(super) async fn sign_in_by_phone(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
) -> Result<(), Error> {
    let token = Token {
        user_id: user.id,
        stored: &user.recovery_token,
    };
    let proof = Proof {
        provider: "phone",
        data: unverified(user.id, "", &Document::default()),
        said: code_data::said_with(tx, token).await?,
    };
    start_over(tx, user, proof, state.clock.now()).await?;
    confirm_phone(state, tx, user).await
}

/// A sign-up by phone: the number is confirmed.
pub(super) async fn confirm_phone(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
) -> Result<(), Error> {
    signed_up(state, tx, user, "phone").await?;
    let now = state.clock.now();
    db::users::confirm_phone(tx, user, now)
        .await
        .map_err(Error::saying("Error confirming user"))?;
    if user.is_anonymous {
        db::users::become_permanent(tx, user, now).await?;
    }
    Ok(())
}

/// The other number takes the place of the current one.
pub(super) async fn change_phone(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
    redemption: &Redemption,
    notices: &mut Vec<OwnedNotice>,
) -> Result<(), Error> {
    let old = user.phone.clone();
    let had_identity = user
        .identities()
        .iter()
        .any(|identity| identity.provider == "phone");
    confirm_phone_change(state, tx, user, &redemption.phone).await?;
    if !old.is_empty() && !user.phone.is_empty() && old != user.phone {
        notices.push(OwnedNotice::PhoneChanged { old });
    }
    if !had_identity {
        notices.push(OwnedNotice::PhoneLinked);
    }
    Ok(())
}

async fn signed_up(state: &State, tx: &Tx<'_>, user: &User, provider: &str) -> Result<(), Error> {
    let entry = Entry::new(user, Action::UserSignedUp).trait_("provider", provider);
    record(state, tx, &entry).await
}
