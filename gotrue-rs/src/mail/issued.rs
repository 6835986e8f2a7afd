//! The tokens that mails give out, until they are stored.

use jiff::Timestamp;
use platform::pg::{DbError, Executor};

use crate::db::one_time_tokens;
use crate::db::users::User;

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
