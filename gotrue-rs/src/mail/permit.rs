//! Whether a mail may be sent at all: to whom, how soon after the last one, how many.

use jiff::{SignedDuration, Timestamp};

use crate::call::Call;
use crate::caller;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::state::State;

/// How long a user still has to wait for the next mail of a kind.
fn wait(state: &State, sent_at: Option<Timestamp>) -> Option<SignedDuration> {
    let sent_at = sent_at?;
    let next = sent_at
        .saturating_add(state.config.mail.smtp.max_frequency)
        .unwrap_or(sent_at);
    Some(next.duration_since(state.clock.now())).filter(SignedDuration::is_positive)
}

/// Whether the last mail of a kind is too recent for another one. Where nobody is to learn who
/// has an account, another one is then left out without a word.
pub(crate) fn is_too_soon(state: &State, sent_at: Option<Timestamp>) -> bool {
    wait(state, sent_at).is_some()
}

/// Between two mails of a kind to a user some time must pass.
pub(super) fn check_frequency(state: &State, sent_at: Option<Timestamp>) -> Result<(), Error> {
    let Some(left) = wait(state, sent_at) else {
        return Ok(());
    };
    let seconds = left.as_secs();
    Err(Error::too_many_requests(
        ErrorCode::OverEmailSendRateLimit,
        format!("For security purposes, you can only request this after {seconds} seconds."),
    ))
}

/// Where only certain addresses may be written to, a `+label` in them does not count.
pub(super) fn authorize(state: &State, address: &str) -> Result<(), Error> {
    let authorized = &state.config.mail.authorized;
    let plain = without_label(address);
    if address.is_empty()
        || authorized.is_empty()
        || authorized
            .iter()
            .any(|known| known.to_lowercase() == plain.to_lowercase())
    {
        return Ok(());
    }
    Err(Error::bad_request(
        ErrorCode::EmailAddressNotAuthorized,
        format!("Email address {address:?} cannot be used as it is not authorized"),
    ))
}

fn without_label(address: &str) -> String {
    let (Some(plus), Some(at)) = (address.find('+'), address.find('@')) else {
        return address.to_owned();
    };
    if plus + 1 < at {
        format!("{}{}", &address[..plus], &address[at..])
    } else {
        address.to_owned()
    }
}

/// Counts a request for a mail against its client and against whom it would go to, before it is
/// known whether anybody has the address.
///
/// Upstream: counts by route and client only.
pub(crate) fn admit(state: &State, call: &Call, recipients: &[&str]) -> Result<(), Error> {
    let is_mail = recipients.iter().any(|address| !address.is_empty());
    if is_mail && !caller::is_backend(state, call) {
        state.limits.check_mailing(call)?;
    }
    for recipient in recipients.iter().filter(|address| !address.is_empty()) {
        if !state.limits.allows_recipient(recipient) {
            return Err(too_many());
        }
    }
    Ok(())
}

/// Counts the mail against the limit of the whole server.
pub(super) fn count_mail(state: &State, user: &User) -> Result<(), Error> {
    let never = state.config.limits.mails.is_zero();
    // Upstream: with autoconfirm on, mails are not counted.
    if never || (!state.config.mail.autoconfirm && !state.limits.allows_mail(user.is_confirmed())) {
        return Err(too_many());
    }
    Ok(())
}

/// Refuses a request for a mail if the server can send none any more, before it is known whether
/// anybody has the address; strangers have a smaller share.
///
/// Upstream: finds out when it sends, and so tells who has an account.
pub(crate) fn check_left(state: &State, is_to_known: bool) -> Result<(), Error> {
    let never = state.config.limits.mails.is_zero();
    if never || (!state.config.mail.autoconfirm && !state.limits.has_mail_left(is_to_known)) {
        return Err(too_many());
    }
    Ok(())
}

/// What can be refused to everybody was refused before; a mail that only strangers are refused
/// is left out without a word, for the answer must not tell who is one.
pub(crate) fn quietly<T: Default>(outcome: Result<T, Error>) -> Result<T, Error> {
    match outcome {
        Err(error) if error.code() == Some(ErrorCode::OverEmailSendRateLimit) => Ok(T::default()),
        outcome => outcome,
    }
}

fn too_many() -> Error {
    Error::too_many_requests(
        ErrorCode::OverEmailSendRateLimit,
        "email rate limit exceeded",
    )
    .with_header("retry-after", "300")
}

#[cfg(test)]
mod tests {
    use super::without_label;

    #[test]
    fn labels_are_left_out() {
        assert_eq!(without_label("ada+news@example.com"), "ada@example.com");
        assert_eq!(without_label("ada+@example.com"), "ada+@example.com");
        assert_eq!(without_label("ada@example.com"), "ada@example.com");
    }
}
