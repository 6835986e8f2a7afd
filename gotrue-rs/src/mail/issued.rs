//! The tokens that mails give out: stored, shown, and taken back.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::letter::Purpose;
use crate::db::code_data::{self, Token};
use crate::db::one_time_tokens::{self, Before, SimpleToken};
use crate::db::users::User;

/// The tokens a mail gave out.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

/// What a user's row says before a mail of this purpose.
pub(super) fn before(purpose: Purpose, user: &User) -> Before {
    let (token, sent_at) = match purpose {
        Purpose::Confirmation | Purpose::Invite => {
            (&user.confirmation_token, user.confirmation_sent_at)
        }
        Purpose::Recovery | Purpose::MagicLink => (&user.recovery_token, user.recovery_sent_at),
        Purpose::Reauthentication => (&user.reauthentication_token, user.reauthentication_sent_at),
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

impl Issued {
    /// Makes the row say what it said before, unless it has been changed since.
    pub(super) async fn take_back(
        &self,
        db: &impl Executor,
        user_id: Uuid,
        before: &Before,
    ) -> Result<(), DbError> {
        let (token, kind) = match self {
            Self::Confirmation { token, .. } => (token, SimpleToken::Confirmation),
            Self::Recovery { token, .. } => (token, SimpleToken::Recovery),
            Self::Reauthentication { token, .. } => (token, SimpleToken::Reauthentication),
            Self::EmailChange { current, new, .. } => {
                let issued = (new.as_str(), current.as_str());
                return one_time_tokens::take_back_email_change(db, user_id, issued, before).await;
            }
        };
        if kind == SimpleToken::Recovery {
            let stored = token.as_str();
            code_data::delete(db, Token { user_id, stored }).await?;
        }
        one_time_tokens::take_back(db, kind, user_id, token, before).await
    }

    /// Removes a user that was made for this mail, unless anything has become of it.
    pub(super) async fn remove_user(
        &self,
        db: &impl Executor,
        user_id: Uuid,
    ) -> Result<bool, DbError> {
        match self {
            Self::Confirmation { token, .. } => {
                crate::db::users::remove_untouched(db, user_id, token).await
            }
            _ => Ok(false),
        }
    }

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
