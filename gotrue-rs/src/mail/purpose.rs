//! What letters are for, and what that makes of them.

use std::time::Duration;

use jiff::Timestamp;

use super::kind::Kind;
use super::links::LinkType;
use super::post::PostError;
use super::tokens::MailTokens;
use crate::db::one_time_tokens::{Before, EmailChange, SimpleToken};
use crate::db::users::User;
use crate::error::Error;
use crate::otp::Code;

/// When a mail that could not be sent may be asked for again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// What a letter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Confirmation,
    Invite,
    Recovery,
    /// Shares its token and its frequency limit with recovery.
    MagicLink,
    /// A code only, without a link.
    Reauthentication,
    /// Sent to the new address and, if the project wants both to agree, to the current one.
    EmailChange,
}

impl Purpose {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Confirmation => Kind::Confirmation,
            Self::Invite => Kind::Invite,
            Self::Recovery => Kind::Recovery,
            Self::MagicLink => Kind::MagicLink,
            Self::Reauthentication => Kind::Reauthentication,
            Self::EmailChange => Kind::EmailChange,
        }
    }

    pub(super) fn link_type(self) -> Option<LinkType> {
        match self {
            Self::Confirmation => Some(LinkType::Signup),
            Self::Invite => Some(LinkType::Invite),
            Self::Recovery => Some(LinkType::Recovery),
            Self::MagicLink => Some(LinkType::MagicLink),
            Self::Reauthentication => None,
            Self::EmailChange => Some(LinkType::EmailChange),
        }
    }

    /// What a user's row says before a mail of this purpose.
    pub(super) fn before(self, user: &User) -> Before {
        let (token, sent_at) = match self {
            Purpose::Confirmation | Purpose::Invite => {
                (&user.confirmation_token, user.confirmation_sent_at)
            }
            Purpose::Recovery | Purpose::MagicLink => (&user.recovery_token, user.recovery_sent_at),
            Purpose::Reauthentication => {
                (&user.reauthentication_token, user.reauthentication_sent_at)
            }
            Purpose::EmailChange => (&user.email_change_token_new, user.email_change_sent_at),
        };
        Before {
            token: token.clone(),
            sent_at,
            invited_at: user.invited_at,
            email_change: user.email_change.clone(),
            email_change_token_current: user.email_change_token_current.clone(),
            email_change_confirm_status: user.email_change_confirm_status,
        }
    }

    /// What is said when it cannot be sent.
    pub(super) fn failure(self) -> &'static str {
        match self {
            Self::Confirmation => "Error sending confirmation email",
            Self::Invite => "Error sending invite email",
            Self::Recovery => "Error sending recovery email",
            Self::MagicLink => "Error sending magic link email",
            Self::Reauthentication => "Error sending reauthentication email",
            Self::EmailChange => "Error sending email change email",
        }
    }

    /// What is answered then.
    // Upstream: 500 also where the mail server is away, and waits for it as long as it takes.
    pub(super) fn not_sent(self, error: PostError) -> Error {
        if !error.is_passing() {
            return Error::internal(self.failure()).with_source(error);
        }
        Error::passing(self.failure(), RETRY_AFTER).with_source(error)
    }

    pub(super) fn issue(
        self,
        user: &User,
        new_email: &str,
        codes: &Codes,
        at: Timestamp,
    ) -> MailTokens {
        let token = codes.first.stored.clone();
        let kind = match self {
            Self::Confirmation => SimpleToken::Confirmation,
            Self::Invite => SimpleToken::Invitation,
            Self::Recovery | Self::MagicLink => SimpleToken::Recovery,
            Self::Reauthentication => SimpleToken::Reauthentication,
            Self::EmailChange => {
                // Without a second mail a token from an earlier request stays as it was.
                let current = codes.to_current.as_ref().map(|code| &code.stored);
                let current = current.unwrap_or(&user.email_change_token_current);
                let change = EmailChange {
                    new_email: new_email.to_owned(),
                    current: current.clone(),
                    new: token,
                };
                return MailTokens::EmailChange { change, at };
            }
        };
        MailTokens::One { kind, token, at }
    }
}

/// The code in the mail, and that in the mail to the current address where both must agree.
pub(super) struct Codes {
    pub(super) first: Code,
    pub(super) to_current: Option<Code>,
}
