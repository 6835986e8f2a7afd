//! Confirming another address, from one mailbox or from both.

use platform::pg::Tx;

use super::Redemption;
use super::lookup::dead_code;
use crate::accounts::change::confirm_email_change;
use crate::db::one_time_tokens::{self, TokenType};
use crate::db::user_changes as changes;
use crate::db::users::User;
use crate::error::Error;
use crate::otp::PKCE_PREFIX;
use crate::state::State;

/// Redeems one of the two tokens; false if the other one is still wanted.
pub(super) async fn confirm(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
    redemption: &Redemption,
) -> Result<bool, Error> {
    let config = &state.config.mail;
    let wants_both = !config.autoconfirm && config.secure_email_change;
    if wants_both && user.email_change_confirm_status == 0 && !user.email.is_empty() {
        spend_first(state, tx, user, redemption).await?;
        return Ok(false);
    }
    confirm_email_change(state, tx, user).await?;
    Ok(true)
}

/// The first of two confirmations: either token will do, and the other one stays.
///
/// Upstream: a code of a PKCE flow, stored with a prefix, matches neither token and counts all
/// the same, so that one mailbox confirms twice with one code.
async fn spend_first(
    state: &State,
    tx: &Tx<'_>,
    user: &User,
    redemption: &Redemption,
) -> Result<(), Error> {
    let hash = redemption.token_hash.as_str();
    let prefixed = format!("{PKCE_PREFIX}{hash}");
    let is = |stored: &str| !stored.is_empty() && (stored == hash || stored == prefixed);
    let held_as = async |token_type| {
        for hash in [hash, &prefixed] {
            let holder = one_time_tokens::holder(tx, hash, &[token_type]).await?;
            if holder.is_some() {
                return Ok(true);
            }
        }
        Ok::<_, Error>(false)
    };
    let spent =
        if is(&user.email_change_token_current) || held_as(TokenType::EmailChangeCurrent).await? {
            TokenType::EmailChangeCurrent
        } else if is(&user.email_change_token_new) || held_as(TokenType::EmailChangeNew).await? {
            TokenType::EmailChangeNew
        } else {
            return Err(dead_code());
        };
    Ok(changes::half_confirm_email_change(tx, user.id, spent, state.clock.now()).await?)
}
