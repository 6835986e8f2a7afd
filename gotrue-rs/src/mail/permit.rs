//! Whether a mail may be sent at all: to whom, how soon after the last one, how many.

use jiff::Timestamp;

use crate::error::{Error, ErrorCode};
use crate::state::State;

/// Between two mails of a kind to a user some time must pass.
pub(super) fn check_frequency(state: &State, sent_at: Option<Timestamp>) -> Result<(), Error> {
    let Some(sent_at) = sent_at else {
        return Ok(());
    };
    let next = sent_at
        .saturating_add(state.config.mail.smtp.max_frequency)
        .unwrap_or(sent_at);
    let left = next.duration_since(state.clock.now());
    if !left.is_positive() {
        return Ok(());
    }
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

/// Counts the mail against the limit of the whole server.
pub(super) fn count_mail(state: &State) -> Result<(), Error> {
    let never = state.config.limits.mails.is_zero();
    // Upstream: with autoconfirm on, mails are not counted.
    if never || (!state.config.mail.autoconfirm && !state.limits.allows_mail()) {
        return Err(Error::too_many_requests(
            ErrorCode::OverEmailSendRateLimit,
            "email rate limit exceeded",
        ));
    }
    Ok(())
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
