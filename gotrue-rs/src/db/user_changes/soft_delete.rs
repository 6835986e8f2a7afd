//! Deleting a user while keeping the row: what names a person is replaced by hashes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::db::users::User;

/// Phone numbers were at most so long in older schemas.
const PHONE_LENGTH: usize = 15;

/// A value nobody can read, yet the same value every time for one user.
fn obscured(user_id: Uuid, value: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("{user_id}{value}")))
}

fn obscured_phone(user_id: Uuid, phone: &str) -> String {
    let mut hash = obscured(user_id, phone);
    hash.truncate(PHONE_LENGTH);
    hash
}

const SOFT_DELETE: &str = "-- auth.users.soft_delete
with tokens as (
  delete from auth.one_time_tokens where user_id = $1
), said as (
  delete from _wildfire_auth.code_data where user_id = $1
), sessions as (
  delete from auth.sessions where user_id = $1
), factors as (
  delete from auth.mfa_factors where user_id = $1
), credentials as (
  delete from auth.webauthn_credentials where user_id = $1
)
update auth.users
set email = $2, phone = $3, email_change = $4, phone_change = $5, encrypted_password = null,
  confirmation_token = '', recovery_token = '', email_change_token_current = '',
  email_change_token_new = '', phone_change_token = '', raw_user_meta_data = '{}',
  raw_app_meta_data = '{}', deleted_at = $6, updated_at = $6
where id = $1";

const OBSCURE_IDENTITY: &str = "-- auth.identities.obscure
update auth.identities set identity_data = '{}', provider_id = $2 where id = $1";

/// Empties the row of a user and everything that hangs on it.
pub(crate) async fn soft_delete(
    db: &impl Executor,
    user: &User,
    now: Timestamp,
) -> Result<(), DbError> {
    let email = |address: &str| obscured(user.id, address);
    let phone = |number: &str| obscured_phone(user.id, number);
    let params: platform::pg::Params<'_> = &[
        &user.id,
        &email(&user.email),
        &phone(&user.phone),
        &email(&user.email_change),
        &phone(&user.phone_change),
        &now,
    ];
    db.execute(SOFT_DELETE, params).await?;
    for identity in user.identities() {
        let named = format!("{}:{}", identity.provider, identity.provider_id);
        db.execute(
            OBSCURE_IDENTITY,
            &[&identity.id, &obscured(user.id, &named)],
        )
        .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_user_and_the_value() {
        let user = Uuid::nil();
        let all = obscured(user, "ada@example.com");
        assert_eq!(all.len(), 43);
        assert_eq!(obscured_phone(user, "ada@example.com"), all[..15]);
        assert_ne!(all, obscured(Uuid::max(), "ada@example.com"));
    }
}
