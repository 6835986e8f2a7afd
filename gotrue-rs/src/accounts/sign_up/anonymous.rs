//! Users without an address or a number. Mirrors upstream's `internal/api/anonymous.go`.

use platform::pg::Tx;
use uuid::Uuid;

use super::{SignUpOutcome, check_open};
use crate::call::Call;
use crate::db;
use crate::db::users::User;
use crate::error::Error;
use crate::json::Document;
use crate::sessions::{self, AuthMethod, Grant};
use crate::state::State;

/// Creates a nameless user and signs it in.
pub(crate) async fn sign_up_anonymously(
    state: &State,
    call: &Call,
    data: Document,
) -> Result<SignUpOutcome, Error> {
    check_open(state)?;
    let fresh = User {
        id: Uuid::new_v4(),
        aud: call.audience(&state.config, None),
        role: state.config.jwt.default_group_name.clone(),
        encrypted_password: Some(String::new()),
        user_metadata: data,
        identities: Some(Vec::new()),
        is_anonymous: true,
        ..User::default()
    };
    let create = async |tx: &Tx<'_>| -> Result<_, Error> {
        let now = state.clock.now();
        let mut user = db::users::insert(tx, &fresh, now).await?;
        let grant = Grant::default();
        let issued =
            sessions::issue(state, tx, call, &mut user, AuthMethod::Anonymous, grant).await?;
        Ok((user, issued))
    };
    let (user, issued) = state
        .db
        .transaction("sign_up_anonymously", create)
        .await
        .map_err(|error| match error {
            Error::Http {
                source: Some(cause),
                ..
            }
            | Error::Unexpected(cause) => {
                Error::internal("Database error creating anonymous user").with_source(cause)
            }
            other => other,
        })?;
    Ok(SignUpOutcome::SignedIn(Box::new(user), Box::new(issued)))
}
