//! Renders mails and hands them to whoever delivers them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::try_join_all;
use platform::mail::{Mail, MailError, Mailer};
use platform::telemetry::{Metrics, count};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;
use tokio::time::timeout;
use uuid::Uuid;

use super::address_check;
use super::config::MailConfig;
use super::kind::Kind;
use super::seal::Sealer;
use super::template::{TemplateError, Value};
use super::templates::{Pair, Templates};
use crate::refusal::Refusal;

/// The sender where none is configured; a mail server would refuse it, a mailbox does not care.
const NO_SENDER: &str = "noreply@localhost";

/// Requests that may wait for the mail server's attention, per one that has it.
const WAITING_PER_SLOT: usize = 4;

/// Why a mail did not go out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    #[error("address is known not to exist")]
    Address,
    #[error("template: {0}")]
    Template(#[from] TemplateError),
    #[error(transparent)]
    Mailer(#[from] MailError),
    #[error("the mail server took too long")]
    Timeout,
    #[error("sending was given up: {0}")]
    GivenUp(#[from] JoinError),
}

impl PostError {
    /// Whether trying again after a while may help.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Timeout | Self::GivenUp(_) => true,
            Self::Mailer(error) => error.is_passing(),
            Self::Address | Self::Template(_) => false,
        }
    }
}

/// How long sending may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until the conversation with the mail server may begin.
    wait: Duration,
    /// The conversation itself.
    conversation: Duration,
    /// From the start of a request until its answer must be ready.
    request: Duration,
}

impl Patience {
    /// What fits into a request of this duration (zero: any), so that its client learns what
    /// became of the mail.
    pub(super) fn within(request: Duration) -> Self {
        let request = if request.is_zero() {
            Duration::from_secs(10)
        } else {
            request.min(Duration::from_secs(10))
        };
        Self {
            wait: request / 5,
            conversation: request * 3 / 5,
            request: request * 9 / 10,
        }
    }

    /// How long a request that has taken so long may wait for its conversation to begin.
    fn wait_after(&self, elapsed: Duration) -> Duration {
        self.wait.min(self.request.saturating_sub(elapsed))
    }

    /// How long a conversation may take so much after the request began: what is left, but
    /// always enough for a server that answers.
    fn after(&self, elapsed: Duration) -> Duration {
        let left = self.request.saturating_sub(elapsed);
        left.clamp(self.conversation / 4, self.conversation)
    }
}

/// The right to talk to the mail server.
pub(super) type Slot = OwnedSemaphorePermit;

/// The post office of the service. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Post(Arc<Office>);

struct Office {
    config: MailConfig,
    templates: Templates,
    mailer: Arc<dyn Mailer>,
    sealer: Sealer,
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    sent: AtomicU64,
    failed: AtomicU64,
    patience: Patience,
    /// Mails that are done with and still in the outbox.
    unsettled: Mutex<Vec<Uuid>>,
}

impl Post {
    /// A post office that delivers through `mailer`.
    pub(super) fn new(
        config: &MailConfig,
        templates: Templates,
        mailer: Arc<dyn Mailer>,
        sealer: Sealer,
        patience: Patience,
    ) -> Self {
        Self(Arc::new(Office {
            config: config.clone(),
            templates,
            mailer,
            sealer,
            slots: Arc::new(Semaphore::new(config.smtp.max_conversations)),
            waiting: AtomicUsize::new(0),
            sent: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            patience,
            unsettled: Mutex::default(),
        }))
    }

    /// Shows what becomes of mails.
    pub(crate) fn show(&self, metrics: Metrics) {
        let office = &self.0;
        let waiting = "Requests that wait until the mail server has time";
        metrics.gauge("mail_waiting", waiting, office, |it| {
            count(it.waiting.load(Ordering::Relaxed))
        });
        metrics.total("mail_sent", "Mails somebody took", office, |it| {
            count(it.sent.load(Ordering::Relaxed))
        });
        metrics.total("mail_failed", "Mails nobody took", office, |it| {
            count(it.failed.load(Ordering::Relaxed))
        });
    }

    /// Remembers that a mail is done with though the outbox does not know.
    pub(super) fn remember_unsettled(&self, ids: &[Uuid]) {
        let unsettled = self.0.unsettled.lock();
        let mut unsettled = unsettled.unwrap_or_else(PoisonError::into_inner);
        unsettled.extend(ids);
    }

    /// The mails so remembered, which are forgotten.
    pub(super) fn take_unsettled(&self) -> Vec<Uuid> {
        let unsettled = self.0.unsettled.lock();
        let mut unsettled = unsettled.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut unsettled)
    }

    /// The templates to use now.
    pub(super) async fn templates(&self, kind: Kind) -> Arc<Pair> {
        self.0.templates.get(kind).await
    }

    pub(super) fn sealer(&self) -> &Sealer {
        &self.0.sealer
    }

    /// Whether mails are sent after the answer.
    pub(super) fn is_background(&self) -> bool {
        self.0.config.background
    }

    /// Waits a little for the right to talk to the mail server, for a request that has taken so
    /// long already. Few talk to it at once, and few wait: a server that does not answer must not
    /// gather requests.
    pub(super) async fn slot(&self, elapsed: Duration) -> Result<Slot, Refusal> {
        let office = &self.0;
        if let Ok(slot) = Arc::clone(&office.slots).try_acquire_owned() {
            return Ok(slot);
        }
        let most = office.config.smtp.max_conversations * WAITING_PER_SLOT;
        let place = Place::take(&office.waiting);
        if place.number > most {
            return Err(Refusal::MailBusy);
        }
        let slot = Arc::clone(&office.slots).acquire_owned();
        match timeout(office.patience.wait_after(elapsed), slot).await {
            Ok(Ok(slot)) => Ok(slot),
            Ok(Err(_)) | Err(_) => Err(Refusal::MailBusy),
        }
    }

    /// A mail as it will be sent.
    pub(super) fn compose(
        &self,
        kind: Kind,
        templates: &Pair,
        to: &str,
        data: &Value,
    ) -> Result<Mail, PostError> {
        let config = &self.0.config;
        if config.extended_validation && !address_check::may_exist(to) {
            return Err(PostError::Address);
        }
        let (subject, html) = (
            templates.subject.render(data)?,
            templates.body.render(data)?,
        );
        let smtp = &config.smtp;
        let message_type = kind.message_type();
        let headers = smtp
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.replace("$messageType", &message_type)))
            .collect();
        let from = if smtp.sender.is_empty() {
            NO_SENDER
        } else {
            &smtp.sender
        };
        Ok(Mail {
            from_name: smtp.sender_name.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
            subject,
            html,
            headers,
        })
    }

    /// Sends mails that belong together, for a request that has taken so long already; `Ok`
    /// means that somebody took responsibility for all.
    pub(super) async fn deliver(
        &self,
        mails: &[Mail],
        _slot: &Slot,
        elapsed: Duration,
    ) -> Result<(), PostError> {
        let office = &self.0;
        let sent = try_join_all(mails.iter().map(|mail| office.mailer.send(mail)));
        let sent = timeout(office.patience.after(elapsed), sent).await;
        let mails = u64::try_from(mails.len()).unwrap_or_default();
        if matches!(sent, Ok(Ok(_))) {
            office.sent.fetch_add(mails, Ordering::Relaxed);
        } else {
            office.failed.fetch_add(mails, Ordering::Relaxed);
        }
        sent.map_err(|_| PostError::Timeout)??;
        Ok(())
    }
}

/// A place among those who wait, given up when dropped.
struct Place<'a> {
    waiting: &'a AtomicUsize,
    number: usize,
}

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Self {
        let number = waiting.fetch_add(1, Ordering::Relaxed) + 1;
        Self { waiting, number }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_mail_gets_what_is_left_of_its_request() {
        let patience = Patience::within(Duration::from_secs(10));
        let after = |seconds| patience.after(Duration::from_secs(seconds)).as_millis();
        assert_eq!(
            [after(0), after(3), after(5), after(9)],
            [6000, 6000, 4000, 1500]
        );
        let unlimited = Patience::within(Duration::ZERO).after(Duration::ZERO);
        assert_eq!(unlimited, Duration::from_secs(6));
        let wait = |seconds| {
            patience
                .wait_after(Duration::from_secs(seconds))
                .as_millis()
        };
        assert_eq!([wait(0), wait(8), wait(9)], [2000, 1000, 0]);
    }
}
