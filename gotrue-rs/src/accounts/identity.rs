//! Identities of accounts made here: by mail or by phone.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, Tx};
use uuid::Uuid;

use crate::db;
use crate::db::identities::Identity;
use crate::db::users::User;
use crate::json::Document;

/// What a fresh identity says: nothing about it is verified yet.
pub(crate) fn unverified(user_id: Uuid, email: &str, extra: &Document) -> Document {
    let mut data = Document::default()
        .with("sub", user_id.to_string())
        .with("email_verified", false)
        .with("phone_verified", false);
    if !email.is_empty() {
        data.insert("email".to_owned(), email.into());
    }
    add(&mut data, extra);
    data
}

/// Adds what somebody says about the owner to what the server knows.
fn add(data: &mut Document, said: &Document) {
    for (key, value) in said.iter() {
        if !data.contains_key(key) {
            data.insert(key.clone(), value.clone());
        }
    }
}

/// What an identity says whose address has just been proved.
pub(crate) fn verified_email(user_id: Uuid, email: &str) -> Document {
    Document::default()
        .with("sub", user_id.to_string())
        .with("email", email)
        .with("email_verified", true)
        .with("phone_verified", false)
}

/// What an identity says whose phone number has just been proved.
pub(crate) fn verified_phone(user_id: Uuid, phone: &str) -> Document {
    Document::default()
        .with("sub", user_id.to_string())
        .with("email_verified", false)
        .with("phone", phone)
        .with("phone_verified", true)
}

/// Makes `identity` all there is to an account that nobody has confirmed: what others may have
/// attached to the address before does not stay.
pub(crate) async fn become_only(
    db: &impl Executor,
    user: &mut User,
    identity: &mut Identity,
    now: Timestamp,
) -> Result<(), DbError> {
    if !matches!(identity.provider.as_str(), "email" | "phone") {
        db::users::clear_password(db, user, now).await?;
    }
    // Upstream: user and identity share one map in memory, from which nulls are dropped; the
    // identity's row, written before, keeps them.
    identity.identity_data.retain(|_, value| !value.is_null());
    db::users::renew_user_metadata(db, user, identity.identity_data.clone(), now).await?;
    if !user.identities().is_empty() {
        db::identities::delete_others(db, user.id, identity.id).await?;
        db::admin_accounts::delete(db, user.id).await?;
    }
    db::users::refresh_providers(db, user, now).await
}

/// What proves to own an account, and what it says about the owner.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) provider: &'static str,
    /// What there is to say about the proved identity.
    pub(crate) data: Document,
    /// What was said with the request for the link or code.
    pub(crate) said: Document,
}

/// Empties an account whose address or number is being proved for the first time, by somebody
/// who asked for a link or code and did not choose what is in it: a stranger may have signed up
/// with the address, to come in by her own password later. To be called under the user's lock.
///
/// What an admin opened stays as it is, and so does an account that somebody has proved to own by
/// its other address or number. An account whose origin is not known may be a stranger's.
// Upstream: keeps everything, so the stranger's password opens the account.
pub(crate) async fn start_over(
    tx: &Tx<'_>,
    user: &mut User,
    proof: Proof,
    now: Timestamp,
) -> Result<(), DbError> {
    let Proof {
        provider,
        mut data,
        said,
    } = proof;
    if !user.is_unproved() {
        return Ok(());
    }
    let sub = user.id.to_string();
    let known = db::identities::by_provider(tx, &sub, provider).await?;
    if !db::admin_accounts::contains(tx, user.id).await? {
        add(&mut data, &said);
        data.retain(|_, value| !value.is_null());
        db::user_changes::start_over(tx, user.id, provider, &data, now).await?;
    } else if let Some(identity) = &known {
        db::identities::merge_data(tx, identity.id, &data, now).await?;
    }
    if known.is_none() {
        let identity = Identity::new(user.id, provider, data, now);
        db::identities::insert(tx, &identity).await?;
    }
    if let Some(emptied) = db::users::by_id(tx, user.id).await? {
        *user = emptied;
    }
    Ok(())
}
