//! Codes for phones.
//!
//! Mirrors upstream's `internal/api/phone.go`. No message provider is built in yet: test
//! numbers get their fixed code, all others the answer of a server without a provider.

use jiff::{SignedDuration, Timestamp};
use platform::pg::Executor;

use crate::db;
use crate::db::phone_codes::{Column, SentCode};
use crate::db::users::User;
use crate::error::Error;
use crate::refusal::{Refusal, Sent};
use crate::state::State;

/// What stands for the id of a message to a test number.
pub(crate) const MESSAGE_ID: &str = "test-otp";

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Confirmation,
    /// Signing in by a number that is not confirmed yet, apart from the confirmation that its
    /// sign-up asked for.
    SignIn,
    Change,
    Reauthentication,
}

/// Sends a code to `phone` and notes it with the user; the answer is the message's id.
pub(crate) async fn send(
    state: &State,
    db: &impl Executor,
    user: &mut User,
    phone: &str,
    purpose: Purpose,
) -> Result<String, Error> {
    let now = state.clock.now();
    let sent_at = match purpose {
        Purpose::Confirmation => user.confirmation_sent_at,
        Purpose::SignIn => user.recovery_sent_at,
        Purpose::Change => user.phone_change_sent_at,
        Purpose::Reauthentication => user.reauthentication_sent_at,
    };
    check_frequency(state, sent_at, now)?;
    let token = state.codes.hash(phone, code(state, phone)?);
    let column = match purpose {
        Purpose::Confirmation => {
            user.confirmation_token.clone_from(&token);
            user.confirmation_sent_at = Some(now);
            Column::Confirmation
        }
        Purpose::SignIn => {
            user.recovery_token.clone_from(&token);
            user.recovery_sent_at = Some(now);
            Column::Recovery
        }
        Purpose::Change => {
            phone.clone_into(&mut user.phone_change);
            user.phone_change_token.clone_from(&token);
            user.phone_change_sent_at = Some(now);
            Column::Change
        }
        Purpose::Reauthentication => {
            user.reauthentication_token.clone_from(&token);
            user.reauthentication_sent_at = Some(now);
            Column::Reauthentication
        }
    };
    user.updated_at = db::identities::micros(now);
    let code = SentCode {
        user_id: user.id,
        phone,
        hash: &token,
    };
    db::phone_codes::store(db, column, &code, now).await?;
    Ok(MESSAGE_ID.to_owned())
}

/// The code a number gets.
pub(crate) fn code<'a>(state: &'a State, phone: &str) -> Result<&'a str, Error> {
    let code = state.config.sms.test_code(phone, state.clock.now());
    code.ok_or_else(|| Error::internal("Unable to get SMS provider"))
}

/// When the next message may follow the last one, if that is not yet.
fn next(state: &State, sent_at: Option<Timestamp>) -> Option<Timestamp> {
    let gap = SignedDuration::try_from(state.config.sms.max_frequency).unwrap_or_default();
    let next = sent_at.and_then(|at| at.checked_add(gap).ok());
    next.filter(|next| *next >= state.clock.now())
}

/// Whether the last message is too recent for another one, which is then left out without a
/// word where nobody is to learn who has an account.
pub(crate) fn is_too_soon(state: &State, sent_at: Option<Timestamp>) -> bool {
    next(state, sent_at).is_some()
}

fn check_frequency(
    state: &State,
    sent_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Refusal> {
    match next(state, sent_at) {
        Some(next) => {
            let wait = next.duration_since(now).unsigned_abs();
            let what = Sent::Message;
            Err(Refusal::TooSoon { what, wait })
        }
        None => Ok(()),
    }
}
