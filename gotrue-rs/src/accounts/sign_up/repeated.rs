//! What is answered to a sign-up that waits for a confirmation, and to one with an address or
//! number that is taken.

use super::{Provider, SignUp, SignUpOutcome};
use crate::accounts::change::record;
use crate::accounts::identity::unverified;
use crate::audit::{Action, Entry};
use crate::db::identities::{Identity, micros};
use crate::db::users::User;
use crate::error::Error;
use crate::refusal::Refusal;

/// Says so if nothing has to be confirmed, for then there is nothing to hide; otherwise answers
/// as to anybody. `taken` is `None` if the account belongs to another audience.
///
/// Upstream: says so, too, where only the other kind of sign-up needs no confirmation.
pub(super) async fn answer(
    sign_up: &SignUp<'_>,
    taken: Option<User>,
    fresh: User,
) -> Result<SignUpOutcome, Error> {
    let (state, provider) = (sign_up.state, sign_up.provider.as_str());
    if let Some(user) = taken {
        let entry = Entry::new(&user, Action::UserRepeatedSignup).trait_("provider", provider);
        let client = state.client().await?;
        record(state, &client, &entry).await?;
    }
    if sign_up.autoconfirms() {
        return Err(Refusal::AlreadyRegistered.into());
    }
    Ok(pending(sign_up, fresh, &[]))
}

/// The user as somebody who signs up is shown it before the confirmation: made of nothing but
/// the request, so that nothing tells whether there was an account. `stored` are the identities
/// of an account that was made.
///
/// Upstream: shows what is stored, also to others than who stored it; for a confirmed account
/// it shows a user without role, identities and metadata.
pub(super) fn pending(sign_up: &SignUp<'_>, fresh: User, stored: &[Identity]) -> SignUpOutcome {
    let now = sign_up.state.clock.now();
    let data = unverified(fresh.id, &fresh.email, &sign_up.data());
    let mut identity = Identity::new(fresh.id, sign_up.provider.as_str(), data, now);
    identity.identity_data.retain(|_, value| !value.is_null());
    if let [stored] = stored {
        identity.id = stored.id;
    }
    let updated_at = match sign_up.provider {
        Provider::Email => now,
        Provider::Phone => micros(now),
    };
    SignUpOutcome::Pending(Box::new(User {
        user_metadata: identity.identity_data.clone(),
        identities: Some(vec![identity]),
        confirmation_sent_at: Some(now),
        created_at: micros(now),
        updated_at,
        ..fresh
    }))
}
