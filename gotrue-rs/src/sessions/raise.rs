//! Raising a session by a second factor. Mirrors `updateMFASessionAndClaims` of upstream's
//! `internal/api/token.go`.

use platform::pg::Executor;

use super::access_token::{self, Amr, Subject};
use super::issue::SessionTokens;
use super::method::AuthMethod;
use super::refresh::session_key;
use super::refresh_token;
use crate::db;
use crate::db::factors::Factor;
use crate::db::mfa::Raise;
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::error::Error;
use crate::state::State;

/// A raised session.
#[derive(Debug)]
pub(crate) struct Raised {
    pub(crate) issued: SessionTokens,
    /// Whether a refresh token of version 1 was spent for the new one.
    pub(crate) is_rotated: bool,
}

/// Raises `session` to `aal2`; `user` is as it is after the factor was verified.
pub(crate) async fn raise(
    state: &State,
    db: &impl Executor,
    user: &User,
    session: &Session,
    factor: &Factor,
) -> Result<Raised, Error> {
    let now = state.clock.now();
    let method = AuthMethod::Totp.as_str();
    let mut amr: Vec<_> = session
        .amr
        .iter()
        .filter(|claim| claim.method != method)
        .map(|claim| Amr::new(&claim.method, claim.at, user))
        .collect();
    amr.push(Amr::new(method, now, user));
    let subject = Subject {
        user,
        session_id: session.id,
        session_created_at: session.created_at,
        amr,
        client_id: None,
        scope: session.scopes.as_deref(),
    };
    let access = access_token::sign(state, &subject, now)?;
    // The counter skips one, so that the token from before cannot pass for one from after.
    let counter = session.refresh_token_counter.map(|counter| counter + 2);
    let (token, child) = if let (Some(key), Some(counter)) = (session_key(session), counter) {
        (refresh_token::encode(session.id, counter, &key), None)
    } else {
        let token = refresh_token::random();
        (token.clone(), Some(token))
    };
    let raised = Raise {
        session_id: session.id,
        user_id: user.id,
        factor_id: factor.id,
        factor_type: &factor.factor_type,
        method,
        child: child.as_deref(),
        counter: counter.filter(|_| child.is_none()),
    };
    if !db::mfa::raise(db, &raised, now).await? {
        return Err(Error::Unexpected(
            "the session has no active refresh token".into(),
        ));
    }
    Ok(Raised {
        issued: SessionTokens::new(access, token, Vec::new(), now),
        is_rotated: child.is_some(),
    })
}
