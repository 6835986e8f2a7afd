//! From the database to the mail server.
//!
//! A mail is stored in the transaction that stores its token, and sent once that is committed:
//! no connection is held meanwhile, a transaction that is run again mails once, and a process
//! that dies leaves the mail to the next one. What the mail server refuses is taken back.

use std::time::Duration;

use futures_util::future::join_all;
use platform::mail::Mail;
use platform::pg::{DbError, Executor, Tx};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::post::{PostError, Slot};
use super::tokens::MailTokens;
use crate::db;
use crate::db::mail_outbox::LeftOver;
use crate::db::one_time_tokens::Before;
use crate::error::Error;
use crate::otp::is_expired;
use crate::state::State;

/// How often taking something back is tried when it loses a race.
const MOST_ATTEMPTS: u32 = 5;

/// Mails that belong together, and what is void if they are refused.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Package {
    pub(super) mails: Vec<Mail>,
    pub(super) stored: Option<Stored>,
}

/// What was stored for a mail.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) user_id: Uuid,
    /// The user was made for this mail.
    pub(super) is_new: bool,
    pub(super) event: Option<Uuid>,
    pub(super) issued: MailTokens,
    pub(super) before: Before,
}

/// A package that is in the database.
#[derive(Debug)]
#[must_use = "a mail that is stored has to be sent"]
pub(crate) struct Posted {
    id: Uuid,
    package: Package,
}

/// Stores a package for the caller to send.
pub(super) async fn post(
    state: &State,
    db: &impl Executor,
    package: Package,
) -> Result<Posted, Error> {
    let id = Uuid::new_v4();
    let plain = serde_json::to_vec(&package).map_err(|error| Error::Unexpected(error.into()))?;
    let sealed = state
        .mail
        .sealer()
        .seal(id, plain)
        .map_err(|_| Error::Unexpected("mail could not be encrypted".into()))?;
    db::mail_outbox::insert(db, id, &sealed, state.clock.now()).await?;
    Ok(Posted { id, package })
}

/// Sends a package, or takes back what was stored for it.
///
/// It goes on if the request that wanted it is given up.
pub(super) async fn send(
    state: &State,
    posted: Posted,
    slot: Slot,
    elapsed: Duration,
) -> Result<(), PostError> {
    let own = state.for_service();
    let sending = async move { send_now(&own, posted, &slot, elapsed).await };
    let sending = state.tasks.spawn(sending);
    sending.await?
}

/// Sends a package whether or not the answer waits for it; a refusal is only logged.
pub(super) fn send_later(state: &State, posted: Posted) -> JoinHandle<()> {
    let own = state.for_service();
    state.tasks.spawn(async move {
        // Without a slot it waits for the next round of left-over mails.
        if let Ok(slot) = own.mail.slot(Duration::ZERO).await
            && let Err(error) = send_now(&own, posted, &slot, Duration::ZERO).await
        {
            let error = Error::Unexpected(error.into());
            if let Some(left_out) = error.admit_line() {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    left_out,
                    "mail not sent"
                );
            }
        }
    })
}

async fn send_now(
    state: &State,
    posted: Posted,
    slot: &Slot,
    elapsed: Duration,
) -> Result<(), PostError> {
    let Posted { id, package } = posted;
    let outcome = state.mail.deliver(&package.mails, slot, elapsed).await;
    let stored = package
        .stored
        .as_ref()
        .filter(|_| outcome.is_err() && !state.mail.is_background());
    if let Err(error) = settle(state, id, stored).await {
        // The mail stays in the outbox. If it was sent, only a process that does not know that
        // takes it up again.
        if outcome.is_ok() {
            state.mail.remember_unsettled(&[id]);
        }
        if let Some(left_out) = error.admit_line() {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                left_out,
                "The outbox could not be told what became of a mail"
            );
        }
    }
    outcome
}

/// Forgets a mail, and with it what is void now.
async fn settle(state: &State, id: Uuid, void: Option<&Stored>) -> Result<(), Error> {
    let Some(stored) = void else {
        let client = state.client().await?;
        return Ok(db::mail_outbox::delete(&client, id).await?);
    };
    if stored.is_new {
        let mut client = state.client().await?;
        match remove_user(client.begin(), id, stored).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            // Something of the project's own may refer to the user by now.
            Err(error) => tracing::warn!(%error, "A new user whose mail was refused stays"),
        }
    }
    let mut attempt = 1;
    loop {
        let mut client = state.client().await?;
        match take_back(client.begin(), id, stored).await {
            Err(error) if attempt < MOST_ATTEMPTS && error.is_retryable() => attempt += 1,
            outcome => return Ok(outcome?),
        }
    }
}

async fn remove_user(tx: Tx<'_>, id: Uuid, stored: &Stored) -> Result<bool, DbError> {
    let removed = stored.issued.remove_user(&tx, stored.user_id).await?;
    if removed {
        forget(&tx, id, stored).await?;
    }
    tx.commit().await?;
    Ok(removed)
}

async fn take_back(tx: Tx<'_>, id: Uuid, stored: &Stored) -> Result<(), DbError> {
    let (issued, before) = (&stored.issued, &stored.before);
    issued.take_back(&tx, stored.user_id, before).await?;
    forget(&tx, id, stored).await?;
    tx.commit().await
}

async fn forget(tx: &Tx<'_>, id: Uuid, stored: &Stored) -> Result<(), DbError> {
    if let Some(event) = stored.event {
        db::audit::delete(tx, event).await?;
    }
    db::mail_outbox::delete(tx, id).await
}

/// Sends what processes that died left behind, once; what is too old to be of use, or has been
/// tried twice, is dropped. Says how many mails there were.
pub(crate) async fn send_left_over(state: &State) -> Result<usize, Error> {
    forget_unsettled(state).await?;
    let client = state.client().await?;
    let found = db::mail_outbox::take_up(&client, state.clock.now()).await?;
    drop(client);
    let count = found.len();
    join_all(found.into_iter().map(|mail| send_again(state, mail))).await;
    Ok(count)
}

/// Tells the outbox what it could not be told before.
pub(crate) async fn forget_unsettled(state: &State) -> Result<(), DbError> {
    let ids = state.mail.take_unsettled();
    if ids.is_empty() {
        return Ok(());
    }
    let outcome = async {
        let client = state.client().await?;
        db::mail_outbox::delete_all(&client, &ids).await
    };
    let outcome = outcome.await;
    if outcome.is_err() {
        state.mail.remember_unsettled(&ids);
    }
    outcome
}

async fn send_again(state: &State, mail: LeftOver) {
    let lifetime = state.config.mail.otp_lifetime;
    let reason = if mail.was_second_try {
        Some("it was tried twice")
    } else if is_expired(mail.created_at, lifetime, state.clock.now()) {
        Some("it is too old")
    } else {
        None
    };
    let package = match reason {
        None => open(state, &mail).ok_or("it cannot be decrypted"),
        Some(reason) => Err(reason),
    };
    let outcome = match package {
        Ok(mut package) => {
            let id = mail.id;
            // Whoever asked for it may have been told that it was sent: nothing is taken back.
            package.stored = None;
            // Without a slot it is left to the next round.
            let Ok(slot) = state.mail.slot(Duration::ZERO).await else {
                return;
            };
            send_now(state, Posted { id, package }, &slot, Duration::ZERO)
                .await
                .map_err(|error| Error::Unexpected(error.into()))
        }
        Err(reason) => {
            tracing::warn!(mail.id = %mail.id, reason, "A mail from before was dropped");
            settle(state, mail.id, None).await
        }
    };
    // Which mail it was is told every time: nothing else names it.
    if let Err(error) = outcome {
        tracing::error!(
            mail.id = %mail.id,
            error = &error as &dyn std::error::Error,
            "A mail from before was not sent"
        );
    }
}

fn open(state: &State, mail: &LeftOver) -> Option<Package> {
    let plain = state.mail.sealer().open(mail.id, &mail.sealed).ok()?;
    serde_json::from_slice(&plain).ok()
}
