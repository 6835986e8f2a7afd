//! Accounts that somebody opens by asking for a code.

use platform::pg::Tx;
use uuid::Uuid;

use super::{NewAccount, SignUp, check_open};
use crate::accounts::identity::{start_over, unverified};
use crate::call::Call;
use crate::db;
use crate::db::users::User;
use crate::error::Error;
use crate::state::State;

/// Opens an account without a password, to which a link or code then leads. `false` if the
/// address or number is taken.
pub(crate) async fn open(state: &State, call: &Call, account: NewAccount) -> Result<bool, Error> {
    check_open(state)?;
    let sign_up = SignUp::checked(state, call, account)?;
    if sign_up.existing().await?.is_some() {
        return Ok(false);
    }
    let fresh = sign_up.fresh().await?;
    match sign_up.settle_new(fresh).await {
        Ok(_) => Ok(true),
        Err(error) if error.is_duplicate() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens an account again that was opened by a code nobody has used yet, with what is said about
/// its owner now: what somebody else said before does not stay, and the code that is sent is for
/// what was said with it. `false` if it is any other account.
// Upstream: what was said first stays.
pub(crate) async fn open_again(
    state: &State,
    call: &Call,
    account: NewAccount,
    user: &User,
) -> Result<bool, Error> {
    let sign_up = SignUp::checked(state, call, account)?;
    if sign_up.autoconfirms() || !sign_up.is_opened_by_code(user) {
        return Ok(false);
    }
    if db::admin_accounts::contains(&state.client().await?, user.id).await? {
        return Ok(false);
    }
    sign_up.settle_over(user.id).await?;
    Ok(true)
}

impl SignUp<'_> {
    /// Whether there is nothing to the account but what was said when a code was asked for.
    fn is_opened_by_code(&self, user: &User) -> bool {
        let provider = self.provider.as_str();
        !user.has_password()
            && !user.confirmation_token.is_empty()
            && !user.is_confirmed()
            && !user.is_phone_confirmed()
            && user
                .identities()
                .iter()
                .all(|identity| identity.provider == provider)
    }

    /// Puts this sign-up in the place of an earlier one; nothing, if somebody else just has.
    async fn settle_over(&self, id: Uuid) -> Result<(), Error> {
        let letter = self.letter().await?;
        let store = async |tx: &Tx<'_>| {
            let Some(mut user) = db::users::hold(tx, id).await? else {
                return Ok(None);
            };
            if !self.is_opened_by_code(&user) || self.is_too_soon(&user) {
                return Ok(None);
            }
            let mut data = unverified(user.id, &user.email, &self.data());
            data.retain(|_, value| !value.is_null());
            let provider = self.provider.as_str();
            start_over(tx, &mut user, provider, data, self.state.clock.now()).await?;
            let settled = self.settle_in(tx, user, false, letter.as_ref()).await?;
            Ok::<_, Error>(Some(settled))
        };
        if let Some(stored) = self.state.db.transaction("sign_up", store).await? {
            self.finish(stored, letter).await?;
        }
        Ok(())
    }
}
