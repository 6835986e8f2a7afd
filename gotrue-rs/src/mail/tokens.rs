//! The tokens that mails give out: stored, shown, and taken back.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::db::code_data::{self, Token};
use crate::db::one_time_tokens::{self, Before, EmailChange, Holder, SimpleToken};
use crate::db::users::{self, User};

/// The tokens a mail gave out.
#[derive(Debug, Serialize, Deserialize)]
#[must_use = "the token in the mail is void until it is stored"]
pub(crate) enum MailTokens {
    /// All mails but those of a change of address give out one.
    One {
        kind: SimpleToken,
        token: String,
        at: Timestamp,
    },
    EmailChange {
        change: EmailChange,
        at: Timestamp,
    },
}

impl MailTokens {
    /// Makes the row say what it said before, unless it has been changed since.
    pub(super) async fn take_back(
        &self,
        db: &impl Executor,
        user_id: Uuid,
        before: &Before,
    ) -> Result<(), DbError> {
        match self {
            Self::One { kind, token, .. } => {
                if *kind == SimpleToken::Recovery {
                    let stored = token.as_str();
                    code_data::delete(db, Token { user_id, stored }).await?;
                }
                one_time_tokens::take_back(db, *kind, user_id, token, before).await
            }
            Self::EmailChange { change, .. } => {
                let issued = (change.new.as_str(), change.current.as_str());
                one_time_tokens::take_back_email_change(db, user_id, issued, before).await
            }
        }
    }

    /// Removes a user that was made for this mail, unless anything has become of it.
    pub(super) async fn remove_user(
        &self,
        db: &impl Executor,
        user_id: Uuid,
    ) -> Result<bool, DbError> {
        match self {
            Self::One {
                kind: SimpleToken::Confirmation | SimpleToken::Invitation,
                token,
                ..
            } => users::remove_untouched(db, user_id, token).await,
            _ => Ok(false),
        }
    }

    /// Stores the tokens in the user's row and for lookups by hash.
    pub(crate) async fn store(&self, db: &impl Executor, user: &User) -> Result<(), DbError> {
        let (id, relates_to) = (user.id, user.email.as_str());
        let holder = Holder { id, relates_to };
        match self {
            Self::One { kind, token, at } => {
                one_time_tokens::issue(db, *kind, holder, token, *at).await
            }
            Self::EmailChange { change, at } => {
                one_time_tokens::issue_email_change(db, holder, change, *at).await
            }
        }
    }

    /// What [`MailTokens::store`] does to the row, done to the value.
    pub(crate) fn apply(&self, user: &mut User) {
        match self {
            Self::One { kind, token, at } => {
                if *kind == SimpleToken::Invitation {
                    user.invited_at = Some(*at);
                }
                let (stored, sent_at) = match kind {
                    SimpleToken::Confirmation | SimpleToken::Invitation => {
                        (&mut user.confirmation_token, &mut user.confirmation_sent_at)
                    }
                    SimpleToken::Recovery => (&mut user.recovery_token, &mut user.recovery_sent_at),
                    SimpleToken::Reauthentication => (
                        &mut user.reauthentication_token,
                        &mut user.reauthentication_sent_at,
                    ),
                };
                stored.clone_from(token);
                *sent_at = Some(*at);
                user.updated_at = *at;
            }
            Self::EmailChange { change, at } => {
                user.email_change.clone_from(&change.new_email);
                user.email_change_token_current.clone_from(&change.current);
                user.email_change_token_new.clone_from(&change.new);
                user.email_change_sent_at = Some(*at);
                user.email_change_confirm_status = 0;
                user.updated_at = *at;
            }
        }
    }
}
