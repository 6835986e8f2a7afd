//! Confirming another address, from one mailbox or from both.

use platform::pg::Tx;

use super::Redemption;
use crate::accounts::change::confirm_email_change;
use crate::db::one_time_tokens::{self, TokenType};
use crate::db::user_changes as changes;
use crate::db::users::User;
use crate::error::Error;
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
async fn spend_first(
    state: &State,
    tx: &Tx<'_>,
    user: &mut User,
    redemption: &Redemption,
) -> Result<(), Error> {
    let hash = redemption.token_hash.as_str();
    let is = |stored: &str| redemption.token == stored || hash == stored;
    let held_as = async |token_type| {
        let holder = one_time_tokens::holder(tx, hash, &[token_type]).await?;
        Ok::<_, Error>(holder.is_some())
    };
    let spent =
        if is(&user.email_change_token_current) || held_as(TokenType::EmailChangeCurrent).await? {
            user.email_change_token_current.clear();
            Some(TokenType::EmailChangeCurrent)
        } else if is(&user.email_change_token_new) || held_as(TokenType::EmailChangeNew).await? {
            user.email_change_token_new.clear();
            Some(TokenType::EmailChangeNew)
        } else {
            // Upstream: a code of a PKCE flow matches neither; the step counts all the same.
            None
        };
    user.email_change_confirm_status = 1;
    changes::half_confirm_email_change(tx, user, spent, state.clock.now()).await?;
    Ok(())
}
