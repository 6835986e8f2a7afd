//! Emptying an account that nobody has proved to own, before somebody does.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use uuid::Uuid;

use crate::json::Document;

const START_OVER: &str = "-- auth.users.start_over
with tokens as (
  delete from auth.one_time_tokens where user_id = $1
), said as (
  delete from _wildfire_auth.code_data where user_id = $1
), sessions as (
  delete from auth.sessions where user_id = $1
), refresh_tokens as (
  delete from auth.refresh_tokens where user_id = $1::uuid::text
), factors as (
  delete from auth.mfa_factors where user_id = $1
), credentials as (
  delete from auth.webauthn_credentials where user_id = $1
), flows as (
  delete from auth.flow_state
  where user_id = $1 and authentication_method not in ('magiclink', 'recovery')
), others as (
  delete from auth.identities
  where user_id = $1 and (provider <> $2 or provider_id <> $1::uuid::text)
), proved as (
  update auth.identities set identity_data = $3, updated_at = $4
  where user_id = $1 and provider = $2 and provider_id = $1::uuid::text
)
update auth.users
set email = case when $2 = 'email' then email end, phone = case when $2 = 'phone' then phone end,
  encrypted_password = '', raw_user_meta_data = $3,
  confirmation_token = '', recovery_token = '', recovery_sent_at = null, email_change = '',
  email_change_token_current = '', email_change_token_new = '', email_change_sent_at = null,
  email_change_confirm_status = 0,
  phone_change = '', phone_change_token = '', phone_change_sent_at = null,
  reauthentication_token = '', reauthentication_sent_at = null, updated_at = $4
where id = $1";

/// Leaves of an account its id, its role, a ban, what admins noted in `app_metadata`, and the
/// address or number that `provider` stands for. `data` takes the place of all that was said about
/// its owner.
///
/// Flows of links stay: the one that is being followed is among them.
pub(crate) async fn start_over(
    db: &impl Executor,
    id: Uuid,
    provider: &str,
    data: &Document,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(START_OVER, &[&id, &provider, data, &now]).await
}
