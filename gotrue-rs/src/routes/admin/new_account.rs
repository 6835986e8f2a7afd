//! Accounts that an admin opens by address: without a password until their owner sets one.

use jiff::Timestamp;
use platform::pg::{Executor, Tx};
use serde_json::json;
use uuid::Uuid;

use crate::accounts::identity::{Proof, start_over, unverified};
use crate::accounts::metadata;
use crate::db;
use crate::db::identities::Identity;
use crate::db::users::User;
use crate::error::{EMAIL_EXISTS, Error, ErrorCode};
use crate::json::Document;
use crate::state::State;

/// The user of a new account, not stored yet. What the admin gives stays as it is: unlike a
/// sign-up, it is not mixed with what is known about the identity.
pub(crate) fn prepare(
    state: &State,
    email: &str,
    aud: &str,
    data: Option<Document>,
    password_hash: String,
) -> User {
    User {
        id: Uuid::new_v4(),
        aud: aud.to_owned(),
        role: state.config.jwt.default_group_name.trim().to_owned(),
        email: email.to_lowercase(),
        encrypted_password: Some(password_hash),
        app_metadata: Document::default()
            .with("provider", "email")
            .with("providers", json!(["email"])),
        user_metadata: data.unwrap_or_default(),
        identities: Some(Vec::new()),
        ..User::default()
    }
}

/// Opens an account without a password.
pub(crate) async fn create(
    state: &State,
    db: &impl Executor,
    email: &str,
    aud: &str,
    data: Option<Document>,
) -> Result<User, Error> {
    let user = prepare(state, email, aud, data, String::new());
    store(state, db, &user).await
}

/// Stores a prepared user and its identity.
pub(crate) async fn store(state: &State, db: &impl Executor, user: &User) -> Result<User, Error> {
    let now = state.clock.now();
    let mut user = db::users::insert(db, user, now)
        .await
        .map_err(Error::saying("Database error saving new user"))?;
    let data = identity_data(user.id, "email", &user.email, false);
    let identity = add_identity(state, db, user.id, "email", data).await?;
    user.identities = Some(vec![identity]);
    Ok(user)
}

/// Refuses a link to confirm an address that is confirmed.
pub(crate) fn check_unconfirmed(user: &User) -> Result<(), Error> {
    if user.is_confirmed() {
        return Err(Error::unprocessable(ErrorCode::EmailExists, EMAIL_EXISTS));
    }
    Ok(())
}

/// Hands an unconfirmed account over to whom an admin sends a link to confirm it: if somebody
/// signed up with the address before, that may have been a stranger. An account that an admin had
/// opened, or that has a confirmed number, only learns what the admin says about its owner; any
/// other also gets the password of the link.
// Upstream: the stranger's password opens the account once the link is followed.
pub(crate) async fn hand_over(
    tx: &Tx<'_>,
    user: &mut User,
    data: Option<&Document>,
    password_hash: &str,
    now: Timestamp,
) -> Result<(), Error> {
    if !user.is_phone_confirmed() && !db::admin_accounts::contains(tx, user.id).await? {
        let proof = Proof {
            provider: "email",
            data: unverified(user.id, &user.email, &Document::default()),
            said: Document::default(),
        };
        start_over(tx, user, proof, now).await?;
        if !password_hash.is_empty() {
            db::users::set_password(tx, user, Some(password_hash), None, now).await?;
        }
    }
    let changes = metadata::Changes {
        own: data,
        app: None,
    };
    metadata::merge(tx, user, changes, now).await
}

/// What is known about an identity by email or phone.
pub(crate) fn identity_data(
    user_id: Uuid,
    provider: &str,
    address: &str,
    verified: bool,
) -> Document {
    Document::default()
        .with("sub", user_id.to_string())
        .with(provider, address)
        .with("email_verified", verified && provider == "email")
        .with("phone_verified", verified && provider == "phone")
}

/// Stores another identity of a user.
pub(crate) async fn add_identity(
    state: &State,
    db: &impl Executor,
    user_id: Uuid,
    provider: &str,
    data: Document,
) -> Result<Identity, Error> {
    let now = state.clock.now();
    let identity = Identity::new(user_id, provider, data, now);
    db::identities::insert(db, &identity)
        .await
        .map_err(Error::saying("Error creating identity"))?;
    Ok(identity)
}
