//! Security notices: mails that report a change and ask for nothing.

use std::time::Duration;

use super::kind::Kind;
use super::outbox::{self, Package};
use super::permit::{authorize, count_mail};
use super::variables::{Variables, common};
use crate::db::users::User;
use crate::error::Error;
use crate::limits::{Origin, Sender};
use crate::state::State;

/// How long an answer waits for a notice; the notice goes on without it.
const PATIENCE: Duration = Duration::from_secs(1);

/// A change worth telling the user about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Notice<'a> {
    PasswordChanged,
    /// Sent to the old address; the user already has the new one.
    EmailChanged {
        old: &'a str,
    },
    PhoneChanged {
        old: &'a str,
    },
    IdentityLinked {
        provider: &'a str,
    },
    /// Sent to the address the account had with the identity.
    IdentityUnlinked {
        provider: &'a str,
        to: &'a str,
    },
    FactorEnrolled {
        factor_type: &'a str,
    },
    FactorUnenrolled {
        factor_type: &'a str,
    },
}

impl Notice<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::PasswordChanged => Kind::PasswordChanged,
            Self::EmailChanged { .. } => Kind::EmailChanged,
            Self::PhoneChanged { .. } => Kind::PhoneChanged,
            Self::IdentityLinked { .. } => Kind::IdentityLinked,
            Self::IdentityUnlinked { .. } => Kind::IdentityUnlinked,
            Self::FactorEnrolled { .. } => Kind::FactorEnrolled,
            Self::FactorUnenrolled { .. } => Kind::FactorUnenrolled,
        }
    }

    fn variables(&self, user: &User, variables: Variables) -> Variables {
        match self {
            Self::PasswordChanged => variables,
            Self::EmailChanged { old } => variables.with("OldEmail", old),
            Self::PhoneChanged { old } => {
                variables.with("Phone", &user.phone).with("OldPhone", old)
            }
            Self::IdentityLinked { provider } => variables.with("Provider", provider),
            Self::IdentityUnlinked { provider, to } => {
                variables.with("Provider", provider).with("Email", to)
            }
            Self::FactorEnrolled { factor_type } | Self::FactorUnenrolled { factor_type } => {
                variables.with("FactorType", factor_type)
            }
        }
    }

    fn recipient<'u>(&'u self, user: &'u User) -> &'u str {
        match self {
            Self::EmailChanged { old } => old,
            Self::IdentityUnlinked { to, .. } => to,
            _ => &user.email,
        }
    }
}

/// Sends the notice if the project wants it and the user has an address.
///
/// The change has happened already, so a notice that cannot be sent is only logged.
pub(crate) async fn notify(state: &State, user: &User, notice: Notice<'_>) {
    let kind = notice.kind();
    let to = notice.recipient(user);
    if to.is_empty() || !state.config.mail.kind(kind).enabled {
        return;
    }
    let sent: Result<(), Error> = async {
        authorize(state, to)?;
        // Whoever keeps changing an account has no more of the mails than others.
        count_mail(state, Sender::Known(&Origin::named(&user.id.to_string())))?;
        let templates = state.mail.templates(kind).await;
        let data = notice.variables(user, common(state, user)).value();
        let mail = state.mail.compose(kind, &templates, to, &data);
        let package = Package {
            mails: vec![mail.map_err(|error| Error::Unexpected(error.into()))?],
            stored: None,
        };
        let posted = outbox::post(state, &state.client().await?, package).await?;
        let sending = outbox::send_later(state, posted);
        if !state.mail.is_background() {
            // What became of it changes nothing about the answer.
            let _ = tokio::time::timeout(PATIENCE, sending).await;
        }
        Ok(())
    }
    .await;
    if let Err(error) = sent
        && let Some(left_out) = error.admit_line()
    {
        tracing::warn!(
            mail.kind = kind.variable(),
            error = &error as &dyn std::error::Error,
            left_out,
            "notice not sent"
        );
    }
}
