//! Identities of accounts made here: by mail or by phone.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use serde_json::Value;
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
    for (key, value) in extra.iter() {
        if !data.contains_key(key) {
            data.insert(key.clone(), value.clone());
        }
    }
    data
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
    user.user_metadata.clone_from(&identity.identity_data);
    if !user.identities().is_empty() {
        db::identities::delete_others(db, user.id, identity.id).await?;
    }
    refresh_providers(db, user, now).await
}

/// Lists the account's providers in `app_metadata`, oldest first, and stores both documents.
pub(crate) async fn refresh_providers(
    db: &impl Executor,
    user: &mut User,
    now: Timestamp,
) -> Result<(), DbError> {
    let providers = db::identities::providers(db, user.id).await?;
    if let Some(first) = providers.first() {
        user.app_metadata
            .insert("provider".to_owned(), first.as_str().into());
    }
    user.app_metadata
        .insert("providers".to_owned(), Value::from(providers));
    db::users::set_metadata(db, user, now).await
}
