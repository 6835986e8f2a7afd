//! What is looked after while the service runs, whoever asks for nothing.

use std::error::Error;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::pg::DbError;

use crate::db;
use crate::mail;
use crate::state::State;

/// How often mails whose sender died are looked for.
const OUTBOX_ROUND: Duration = Duration::from_secs(15);

/// How long what belongs to a code is kept at least.
const FORGETTING: SignedDuration = SignedDuration::from_hours(24);

impl State {
    /// Sends mails that processes which died left behind, and forgets what is old, until the end.
    pub(crate) fn tend_outbox(&self) {
        let state = self.clone();
        self.tasks.repeat(OUTBOX_ROUND, move || {
            let state = state.clone();
            async move {
                if let Err(error) = state.send_left_over_mails().await {
                    tracing::warn!(%error, "Mails from before could not be looked for");
                }
                if let Err(error) = state.forget_old_codes().await {
                    tracing::warn!(%error, "Old codes could not be forgotten");
                }
            }
        });
    }

    /// Mails that processes which died left behind: each is sent once more, by one process.
    pub async fn send_left_over_mails(&self) -> Result<usize, Box<dyn Error + Send + Sync>> {
        Ok(mail::send_left_over(self).await?)
    }

    /// Lets the outbox know of mails that are done with, so that the next process does not send them
    /// once more.
    pub(crate) async fn settle_mails(&self) {
        if let Err(error) = mail::forget_unsettled(self).await {
            tracing::warn!(%error, "Mails that were sent may be sent once more");
        }
    }

    /// What belongs to codes is kept as long as any of them may live.
    pub async fn forget_old_codes(&self) -> Result<(), DbError> {
        let messages = SignedDuration::try_from(self.config.sms.otp_exp);
        let lifetime = self.config.mail.otp_lifetime.max(FORGETTING);
        let lifetime = lifetime.max(messages.unwrap_or(SignedDuration::MAX));
        let before = self.clock.now().saturating_sub(lifetime);
        let before = before.unwrap_or(Timestamp::MIN);
        let client = self.client().await?;
        db::code_tries::delete_old(&client, before).await?;
        db::code_data::delete_old(&client, before).await
    }
}
