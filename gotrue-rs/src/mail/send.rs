//! The mails of the service: who may get one, what it says, and what must be stored for it.
//!
//! Mirrors upstream's `internal/api/mail.go`. There the mail is sent inside the transaction
//! that then stores the token, which keeps a pooled connection for the whole conversation with
//! the mail server. Here a `send_…` function touches no database: it sends and returns what was
//! [`Issued`]; the caller stores that together with its other rows in one transaction. Seen from
//! outside this is the same: upstream, too, writes the token after the mail is out, so a mail
//! that fails leaves nothing behind, and a write that fails leaves a mail with a dead link.
//! Only for users that do not exist yet do callers send inside the transaction, behind the
//! insert: a trigger of the project may refuse the row, and then no mail must have left.

use super::issued::Issued;
use super::kind::Kind;
use super::links::LinkType;
use super::permit::{authorize, check_frequency, count_mail};
use super::post::PostError;
use super::template::Value;
use super::variables::common;
use crate::call::Call;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::otp::{Code, Flow};
use crate::state::State;

/// A sign-up's confirmation.
pub(crate) async fn send_confirmation(
    state: &State,
    call: &Call,
    user: &User,
    flow: Flow,
) -> Result<Issued, Error> {
    const FAILURE: &str = "Error sending confirmation email";
    check_frequency(state, user.confirmation_sent_at)?;
    let at = state.clock.now();
    let code = code(state, &user.email, flow);
    send_link(
        state,
        call,
        user,
        (Kind::Confirmation, LinkType::Signup, FAILURE),
        &code,
    )
    .await?;
    Ok(Issued::Confirmation {
        token: code.stored,
        invited: false,
        at,
    })
}

/// An invitation; not limited in frequency.
pub(crate) async fn send_invite(state: &State, call: &Call, user: &User) -> Result<Issued, Error> {
    const FAILURE: &str = "Error sending invite email";
    let at = state.clock.now();
    let code = code(state, &user.email, Flow::Implicit);
    send_link(
        state,
        call,
        user,
        (Kind::Invite, LinkType::Invite, FAILURE),
        &code,
    )
    .await?;
    Ok(Issued::Confirmation {
        token: code.stored,
        invited: true,
        at,
    })
}

/// A link to choose a new password.
pub(crate) async fn send_recovery(
    state: &State,
    call: &Call,
    user: &User,
    flow: Flow,
) -> Result<Issued, Error> {
    const FAILURE: &str = "Error sending recovery email";
    check_frequency(state, user.recovery_sent_at)?;
    let at = state.clock.now();
    let code = code(state, &user.email, flow);
    send_link(
        state,
        call,
        user,
        (Kind::Recovery, LinkType::Recovery, FAILURE),
        &code,
    )
    .await?;
    Ok(Issued::Recovery {
        token: code.stored,
        at,
    })
}

/// A link to sign in; it shares its token and its frequency limit with recovery.
pub(crate) async fn send_magic_link(
    state: &State,
    call: &Call,
    user: &User,
    flow: Flow,
) -> Result<Issued, Error> {
    const FAILURE: &str = "Error sending magic link email";
    check_frequency(state, user.recovery_sent_at)?;
    let at = state.clock.now();
    let code = code(state, &user.email, flow);
    send_link(
        state,
        call,
        user,
        (Kind::MagicLink, LinkType::MagicLink, FAILURE),
        &code,
    )
    .await?;
    Ok(Issued::Recovery {
        token: code.stored,
        at,
    })
}

/// A code to prove who is sitting there, without a link.
pub(crate) async fn send_reauthentication(state: &State, user: &User) -> Result<Issued, Error> {
    const FAILURE: &str = "Error sending reauthentication email";
    check_frequency(state, user.reauthentication_sent_at)?;
    let at = state.clock.now();
    let code = code(state, &user.email, Flow::Implicit);
    authorize(state, &user.email)?;
    count_mail(state)?;
    let data = common(state, user).with("Token", code.digits.as_str());
    deliver(
        state,
        user,
        (Kind::Reauthentication, &user.email, FAILURE),
        &data.value(),
    )
    .await?;
    Ok(Issued::Reauthentication {
        token: code.stored,
        at,
    })
}

/// The confirmation of another address, sent to it and, if the project wants both to agree, to
/// the current one.
pub(crate) async fn send_email_change(
    state: &State,
    call: &Call,
    user: &User,
    new_email: &str,
    flow: Flow,
) -> Result<Issued, Error> {
    check_frequency(state, user.email_change_sent_at)?;
    let at = state.clock.now();
    let both = state.config.mail.secure_email_change && !user.email.is_empty();
    let new = code(state, new_email, flow);
    let current = both.then(|| code(state, &user.email, flow));
    if !new_email.is_empty() {
        authorize(state, new_email)?;
    }
    if both {
        authorize(state, &user.email)?;
    }
    count_mail(state)?;
    let change = Change {
        state,
        call,
        user,
        new_email,
    };
    let to_current = async {
        match &current {
            Some(code) => change.send(&user.email, code).await,
            None => Ok(()),
        }
    };
    tokio::try_join!(change.send(new_email, &new), to_current)?;
    Ok(Issued::EmailChange {
        new_email: new_email.to_owned(),
        // Without a second mail a token from an earlier request stays as it was.
        current: current.map_or_else(
            || user.email_change_token_current.clone(),
            |code| code.stored,
        ),
        new: new.stored,
        at,
    })
}

struct Change<'a> {
    state: &'a State,
    call: &'a Call,
    user: &'a User,
    new_email: &'a str,
}

impl Change<'_> {
    async fn send(&self, to: &str, code: &Code) -> Result<(), Error> {
        const FAILURE: &str = "Error sending email change email";
        let data = common(self.state, self.user)
            .with("NewEmail", self.new_email)
            .with("SendingTo", to)
            .with_link(self.state, self.call, LinkType::EmailChange, code);
        deliver(
            self.state,
            self.user,
            (Kind::EmailChange, to, FAILURE),
            &data.value(),
        )
        .await
    }
}

/// What is sent, what its link does, and what is said when it fails.
type Letter = (Kind, LinkType, &'static str);

async fn send_link(
    state: &State,
    call: &Call,
    user: &User,
    (kind, link_type, failure): Letter,
    code: &Code,
) -> Result<(), Error> {
    authorize(state, &user.email)?;
    count_mail(state)?;
    let data = common(state, user).with_link(state, call, link_type, code);
    deliver(state, user, (kind, &user.email, failure), &data.value()).await
}

fn code(state: &State, address: &str, flow: Flow) -> Code {
    Code::generate(state.config.mail.otp_length, address, flow)
}

pub(super) async fn deliver(
    state: &State,
    user: &User,
    (kind, to, failure): (Kind, &str, &'static str),
    data: &Value,
) -> Result<(), Error> {
    state
        .mail
        .deliver(kind, to, data)
        .await
        .map_err(|error| match error {
            PostError::Address => {
                // Upstream: names the user's address, also where the mail goes to another.
                let address = if user.email.is_empty() {
                    to
                } else {
                    &user.email
                };
                Error::bad_request(
                    ErrorCode::EmailAddressInvalid,
                    format!("Email address {address:?} is invalid"),
                )
            }
            error => Error::internal(failure).with_source(error),
        })
}
