//! Whose token it is, and whether it still counts.

use jiff::Timestamp;
use platform::pg::{DbError, Tx};

use super::Redemption;
use crate::db;
use crate::db::one_time_tokens::{self, TokenType};
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::named::{Named as _, named};
use crate::otp::{MOST_TRIES, is_expired, is_valid};
use crate::state::State;

named! {
    /// What a token was given out for.
    pub(super) enum Purpose {
        Signup = "signup",
        Invite = "invite",
        Recovery = "recovery",
        MagicLink = "magiclink",
        EmailChange = "email_change",
        Sms = "sms",
        /// A code asked for to sign in by a number that was not confirmed yet; clients call it `sms`,
        /// too.
        PhoneSignIn = "sms",
        PhoneChange = "phone_change",
    }
}

/// `email` stands for whatever kind of mail the token came in.
const ANY_MAIL: &str = "email";

fn dead_link() -> Error {
    Error::forbidden(
        ErrorCode::OtpExpired,
        "Email link is invalid or has expired",
    )
}

pub(super) fn dead_code() -> Error {
    Error::forbidden(ErrorCode::OtpExpired, "Token has expired or is invalid")
}

fn check_banned(state: &State, user: &User) -> Result<(), Error> {
    if user.is_banned(state.clock.now()) {
        return Err(Error::forbidden(ErrorCode::UserBanned, "User is banned"));
    }
    Ok(())
}

/// The user a link or code belongs to, and what it was given out for.
pub(super) async fn holder(
    state: &State,
    tx: &Tx<'_>,
    redemption: &Redemption,
    aud: &str,
) -> Result<(User, Purpose), Error> {
    if redemption.by_hash {
        by_hash(state, tx, redemption).await
    } else {
        by_code(state, tx, redemption, aud).await
    }
}

/// The tokens that what is said to be of this kind may be.
fn token_types(kind: &str) -> &'static [TokenType] {
    match Purpose::named(kind) {
        Some(Purpose::Signup | Purpose::Invite) => &[TokenType::Confirmation],
        Some(Purpose::Recovery | Purpose::MagicLink) => &[TokenType::Recovery],
        Some(Purpose::Sms | Purpose::PhoneSignIn) => {
            &[TokenType::Confirmation, TokenType::Recovery]
        }
        Some(Purpose::EmailChange) => &[TokenType::EmailChangeCurrent, TokenType::EmailChangeNew],
        Some(Purpose::PhoneChange) => &[TokenType::PhoneChange],
        None if kind == ANY_MAIL => &[TokenType::Confirmation, TokenType::Recovery],
        None => &[],
    }
}

/// Counts a typed code against all it may be meant for. This is committed before the code is
/// looked at, so that requests at the same time do not get more tries.
pub(super) async fn count_try(state: &State, redemption: &mut Redemption) -> Result<(), Error> {
    if redemption.by_hash {
        return Ok(());
    }
    let sent_to = if redemption.email.is_empty() {
        &redemption.phone
    } else {
        &redemption.email
    };
    let (types, now) = (token_types(&redemption.kind), state.clock.now());
    let client = state.client().await?;
    redemption.open = db::code_tries::count(&client, sent_to, types, MOST_TRIES, now).await?;
    Ok(())
}

/// The user a link belongs to.
async fn by_hash(
    state: &State,
    tx: &Tx<'_>,
    redemption: &Redemption,
) -> Result<(User, Purpose), Error> {
    let failed = |error: DbError| {
        Error::internal("Database error finding user from email link").with_source(error)
    };
    let purpose = Purpose::named(&redemption.kind);
    let types = token_types(&redemption.kind);
    let is_phone = matches!(
        purpose,
        Some(Purpose::Sms | Purpose::PhoneSignIn | Purpose::PhoneChange)
    );
    if types.is_empty() || is_phone {
        return Err(Error::invalid("Invalid email verification type"));
    }
    let holder = one_time_tokens::holder(tx, &redemption.token_hash, types)
        .await
        .map_err(failed)?;
    let holder = holder.ok_or_else(dead_link)?;
    let user = db::users::by_id(tx, holder)
        .await
        .map_err(failed)?
        .ok_or_else(dead_link)?;
    check_banned(state, &user)?;
    let purpose = purpose.unwrap_or(if user.recovery_token == redemption.token_hash {
        Purpose::MagicLink
    } else {
        Purpose::Signup
    });
    let sent_at = sent_at(&user, purpose);
    let lifetime = state.config.mail.otp_lifetime;
    let now = state.clock.now();
    if sent_at.is_none_or(|sent_at| is_expired(sent_at, lifetime, now)) {
        return Err(dead_link());
    }
    Ok((user, purpose))
}

fn sent_at(user: &User, purpose: Purpose) -> Option<Timestamp> {
    match purpose {
        Purpose::Signup | Purpose::Invite | Purpose::Sms => user.confirmation_sent_at,
        Purpose::Recovery | Purpose::MagicLink | Purpose::PhoneSignIn => user.recovery_sent_at,
        Purpose::EmailChange => user.email_change_sent_at,
        Purpose::PhoneChange => user.phone_change_sent_at,
    }
}

/// The user a code was sent to, if it is the right code.
async fn by_code(
    state: &State,
    tx: &Tx<'_>,
    redemption: &Redemption,
    aud: &str,
) -> Result<(User, Purpose), Error> {
    let user = find_holder(state, tx, redemption, aud)
        .await
        .map_err(Error::saying("Database error finding user"))?
        .ok_or_else(dead_code)?;
    let purpose = matching_purpose(state, &user, redemption).ok_or_else(dead_code)?;
    // Upstream: tells anybody who was banned, whatever the code.
    check_banned(state, &user)?;
    Ok((user, purpose))
}

async fn find_holder(
    state: &State,
    tx: &Tx<'_>,
    redemption: &Redemption,
    aud: &str,
) -> Result<Option<User>, DbError> {
    match Purpose::named(&redemption.kind) {
        Some(Purpose::PhoneChange) => {
            db::user_changes::by_phone_change(tx, &redemption.phone, aud).await
        }
        Some(Purpose::Sms | Purpose::PhoneSignIn) => {
            db::users::by_phone(tx, &redemption.phone, aud).await
        }
        Some(Purpose::EmailChange) => {
            let both = state.config.mail.secure_email_change;
            let holder = one_time_tokens::holder_of_email_change(
                tx,
                &redemption.email,
                &redemption.token_hash,
                aud,
                both,
            )
            .await?;
            match holder {
                Some(id) => db::users::by_id(tx, id).await,
                None => Ok(None),
            }
        }
        _ => db::users::by_email(tx, &redemption.email, aud).await,
    }
}

/// What the code redeems, if it is one of the user's and young enough.
fn matching_purpose(state: &State, user: &User, redemption: &Redemption) -> Option<Purpose> {
    let now = state.clock.now();
    let hash = redemption.token_hash.as_str();
    let mail = |stored: &str, sent_at| {
        is_valid(hash, stored, sent_at, state.config.mail.otp_lifetime, now)
            && redemption.is_open(stored)
    };
    let confirmation = || mail(&user.confirmation_token, user.confirmation_sent_at);
    let recovery = || mail(&user.recovery_token, user.recovery_sent_at);
    let purpose = Purpose::named(&redemption.kind);
    let valid = match purpose {
        Some(Purpose::Signup | Purpose::Invite) => confirmation(),
        Some(Purpose::Recovery | Purpose::MagicLink) => recovery(),
        Some(Purpose::EmailChange) => {
            mail(&user.email_change_token_current, user.email_change_sent_at)
                || mail(&user.email_change_token_new, user.email_change_sent_at)
        }
        Some(Purpose::Sms | Purpose::PhoneSignIn) => return by_message(state, user, redemption),
        Some(Purpose::PhoneChange) => phone(
            state,
            redemption,
            &user.phone_change_token,
            user.phone_change_sent_at,
        ),
        None if redemption.kind == ANY_MAIL => {
            return if confirmation() {
                Some(Purpose::Signup)
            } else {
                recovery().then_some(Purpose::MagicLink)
            };
        }
        None => false,
    };
    purpose.filter(|_| valid)
}

/// What a code by message redeems. A test number's code is always the same: then it counts as
/// the one that leaves nothing to strangers.
fn by_message(state: &State, user: &User, redemption: &Redemption) -> Option<Purpose> {
    let valid = |stored: &str, sent_at| phone(state, redemption, stored, sent_at);
    if user.recovery_token == redemption.token_hash
        && valid(&user.recovery_token, user.recovery_sent_at)
    {
        return Some(Purpose::PhoneSignIn);
    }
    valid(&user.confirmation_token, user.confirmation_sent_at).then_some(Purpose::Sms)
}

/// A test number's code is good at any time.
fn phone(state: &State, redemption: &Redemption, stored: &str, sent_at: Option<Timestamp>) -> bool {
    let sms = &state.config.sms;
    let now = state.clock.now();
    if sms.test_code(&redemption.phone, now) == Some(redemption.token.as_str()) {
        return true;
    }
    let lifetime = jiff::SignedDuration::try_from(sms.otp_exp).unwrap_or(jiff::SignedDuration::MAX);
    is_valid(&redemption.token_hash, stored, sent_at, lifetime, now) && redemption.is_open(stored)
}
