//! Whether a mail may be sent at all: to whom, how soon after the last one, how many.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::call::Call;
use crate::caller;
use crate::limits::Sender;
use crate::refusal::{Refusal, Sent};
use crate::state::State;

/// How long a server that sends no mails asks to wait.
const NEVER: Duration = Duration::from_hours(1);

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
pub(super) fn check_frequency(state: &State, sent_at: Option<Timestamp>) -> Result<(), Refusal> {
    let Some(left) = wait(state, sent_at) else {
        return Ok(());
    };
    let (what, wait) = (Sent::Mail, left.unsigned_abs());
    Err(Refusal::TooSoon { what, wait })
}

/// Where only certain addresses may be written to, a `+label` in them does not count.
pub(crate) fn authorize(state: &State, address: &str) -> Result<(), Refusal> {
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
    Err(Refusal::NotAuthorized(address.to_owned()))
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

/// Who asks for a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    Anybody,
    /// Somebody who is signed in.
    User,
}

/// Refuses a request for a mail to an address that none is sent to. Any other is counted: against
/// its client, against its recipients, and against the limit of the whole server. That happens
/// before it is known whether anybody has the address, and whether or not a mail goes out then, so
/// that neither a refusal nor what is left afterwards tells who has an account.
///
/// Upstream: counts by route and client, and the mails that it sends; looks only where one is due
/// whether it may be sent.
pub(crate) fn admit(
    state: &State,
    call: &Call,
    asker: Asker,
    recipients: &[&str],
) -> Result<(), Refusal> {
    let is_mail = recipients.iter().any(|address| !address.is_empty());
    if !is_mail {
        return Ok(());
    }
    for recipient in recipients {
        authorize(state, recipient)?;
    }
    let is_backend = caller::is_backend(state, call);
    if !is_backend {
        state.limits.check_mailing(call)?;
    }
    let origin = state.limits.origin(call);
    for recipient in recipients.iter().filter(|address| !address.is_empty()) {
        let counted = (!is_backend).then_some(&origin);
        let outcome = state.limits.count_recipient(recipient, counted);
        outcome.map_err(Refusal::TooManyMails)?;
    }
    let site = state.limits.site(call);
    let sender = if is_backend {
        Sender::Backend
    } else if asker == Asker::User || state.limits.is_known(call) {
        Sender::Known(&site)
    } else {
        Sender::Stranger
    };
    count_mail(state, sender)
}

/// Counts a mail against the limit of the whole server.
pub(super) fn count_mail(state: &State, sender: Sender<'_>) -> Result<(), Refusal> {
    if state.config.limits.mails.is_zero() {
        return Err(Refusal::TooManyMails(NEVER));
    }
    // Upstream: with autoconfirm on, mails are not counted.
    if state.config.mail.autoconfirm {
        return Ok(());
    }
    state
        .limits
        .count_mail(sender)
        .map_err(Refusal::TooManyMails)
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
