//! Signing up again with an address or number that is taken.

use uuid::Uuid;

use super::{Provider, SignUp, SignUpOutcome, record_alone};
use crate::audit::{Action, Entry};
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::json::Document;

/// Says so if confirmations are off, for then there is nothing to hide; otherwise shows a user
/// that looks new.
pub(super) async fn answer(sign_up: &SignUp<'_>, user: User) -> Result<SignUpOutcome, Error> {
    let (state, provider) = (sign_up.state, sign_up.provider.as_str());
    let entry = Entry::new(&user, Action::UserRepeatedSignup).trait_("provider", provider);
    let client = state.client().await?;
    record_alone(state, &client, entry).await?;
    if state.config.mail.autoconfirm || state.config.sms.autoconfirm {
        return Err(Error::unprocessable(
            ErrorCode::UserAlreadyExists,
            "User already registered",
        ));
    }
    Ok(SignUpOutcome::Pending(Box::new(disguised(sign_up, user))))
}

/// The stored user, changed to look as if it had just been made.
///
/// Upstream: what it forgets to clear shows, such as when the user was invited.
fn disguised(sign_up: &SignUp<'_>, user: User) -> User {
    let now = sign_up.state.clock.now();
    let provider = sign_up.provider.as_str();
    let (email, phone) = match sign_up.provider {
        Provider::Email => (user.email.clone(), String::new()),
        Provider::Phone => (String::new(), user.phone.clone()),
    };
    User {
        id: Uuid::new_v4(),
        aud: sign_up.aud.clone(),
        role: String::new(),
        email,
        phone,
        email_change: String::new(),
        created_at: now,
        updated_at: now,
        confirmation_sent_at: Some(now),
        last_sign_in_at: None,
        confirmed_at: None,
        email_change_sent_at: None,
        email_confirmed_at: None,
        phone_confirmed_at: None,
        identities: Some(Vec::new()),
        user_metadata: sign_up.data(),
        app_metadata: Document::default()
            .with("provider", provider)
            .with("providers", vec![provider]),
        ..user
    }
}
