//! The mails of the service: who may get one, what it says, and what must be stored for it.
//!
//! Mirrors upstream's `internal/api/mail.go`. There the mail is sent inside the transaction
//! that then stores the token, which keeps a pooled connection for the whole conversation with
//! the mail server. Here a `send_…` function touches no database: it sends and returns what was
//! [`Issued`]; the caller stores that together with its other rows in one transaction. Seen from
//! outside this is the same: upstream, too, writes the token after the mail is out, so a mail
//! that fails leaves nothing behind, and a write that fails leaves a mail with a dead link.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};

use super::kind::Kind;
use super::links::{LinkType, action_link};
use super::post::PostError;
use super::template::Value;
use crate::call::Call;
use crate::db::one_time_tokens;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::otp::{Code, Flow};
use crate::redirect::address::Address;
use crate::state::State;

/// The tokens a mail gave out.
#[derive(Debug, Clone)]
#[must_use = "the token in the mail is void until it is stored"]
pub(crate) enum Issued {
    /// Sign-up or, with `invited`, an invitation.
    Confirmation {
        token: String,
        invited: bool,
        at: Timestamp,
    },
    /// Password recovery and magic links.
    Recovery {
        token: String,
        at: Timestamp,
    },
    Reauthentication {
        token: String,
        at: Timestamp,
    },
    EmailChange {
        new_email: String,
        current: String,
        new: String,
        at: Timestamp,
    },
}

impl Issued {
    /// Stores the tokens in the user's row and for lookups by hash.
    pub(crate) async fn store(&self, db: &impl Executor, user: &User) -> Result<(), DbError> {
        let user = one_time_tokens::Holder {
            id: user.id,
            relates_to: &user.email,
        };
        match self {
            Self::Confirmation { token, invited, at } => {
                one_time_tokens::issue_confirmation(db, user, token, *invited, *at).await
            }
            Self::Recovery { token, at } => {
                one_time_tokens::issue_recovery(db, user, token, *at).await
            }
            Self::Reauthentication { token, at } => {
                one_time_tokens::issue_reauthentication(db, user, token, *at).await
            }
            Self::EmailChange {
                new_email,
                current,
                new,
                at,
            } => {
                let tokens = one_time_tokens::EmailChange {
                    new_email,
                    current,
                    new,
                };
                one_time_tokens::issue_email_change(db, user, &tokens, *at).await
            }
        }
    }

    /// What [`Issued::store`] does to the row, done to the value.
    pub(crate) fn apply(&self, user: &mut User) {
        match self.clone() {
            Self::Confirmation { token, invited, at } => {
                user.confirmation_token = token;
                user.confirmation_sent_at = Some(at);
                if invited {
                    user.invited_at = Some(at);
                }
                user.updated_at = at;
            }
            Self::Recovery { token, at } => {
                user.recovery_token = token;
                user.recovery_sent_at = Some(at);
                user.updated_at = at;
            }
            Self::Reauthentication { token, at } => {
                user.reauthentication_token = token;
                user.reauthentication_sent_at = Some(at);
                user.updated_at = at;
            }
            Self::EmailChange {
                new_email,
                current,
                new,
                at,
            } => {
                user.email_change = new_email;
                user.email_change_token_current = current;
                user.email_change_token_new = new;
                user.email_change_sent_at = Some(at);
                user.email_change_confirm_status = 0;
                user.updated_at = at;
            }
        }
    }
}

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

/// Between two mails of a kind to a user some time must pass.
fn check_frequency(state: &State, sent_at: Option<Timestamp>) -> Result<(), Error> {
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

/// The variables of a template.
pub(super) struct Variables(Vec<(&'static str, Value)>);

/// What every mail knows.
pub(super) fn common(state: &State, user: &User) -> Variables {
    Variables(vec![
        ("SiteURL", Value::from(state.config.redirects.site_url())),
        ("Email", Value::from(user.email.as_str())),
        ("Data", Value::from(&*user.user_metadata)),
    ])
}

impl Variables {
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, Value::from(value)));
        self
    }

    fn with_link(self, state: &State, call: &Call, link_type: LinkType, code: &Code) -> Self {
        let redirect_to = state
            .config
            .redirects
            .resolve(call.redirect_to(), call.referer());
        let external = external_address(state, call);
        let paths = &state.config.mail.paths;
        let link = action_link(&external, paths, link_type, &code.stored, &redirect_to);
        self.with("ConfirmationURL", &link)
            .with("Token", &code.digits)
            .with("TokenHash", &code.stored)
            .with("RedirectTo", &redirect_to)
    }

    pub(super) fn value(self) -> Value {
        Value::Map(
            self.0
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }
}

/// Where links lead: the host a trusted proxy named, or the configured one.
pub(crate) fn external_address(state: &State, call: &Call) -> Address {
    Address::parse(call.external_url(&state.config).as_str()).unwrap_or_default()
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
