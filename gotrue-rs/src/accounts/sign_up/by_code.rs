//! Accounts that somebody opens by asking for a code.

use super::{NewAccount, SignUp, check_open};
use crate::call::Call;
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
