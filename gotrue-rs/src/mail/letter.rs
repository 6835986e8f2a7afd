//! The mails that ask for something: who may get one, what it says, what is stored for it.
//!
//! Mirrors upstream's `internal/api/mail.go`, with the one difference that the mail leaves after
//! the transaction, see [`super::outbox`].

use std::sync::Arc;

use platform::mail::Mail;
use platform::pg::Tx;

use super::outbox::{self, Package, Posted, Stored};
use super::permit::{authorize, check_frequency};
use super::post::{PostError, Slot};
use super::purpose::{Codes, Purpose};
use super::templates::Pair;
use super::variables::common;
use crate::accounts::change::record;
use crate::audit::Entry;
use crate::call::Call;
use crate::db;
use crate::db::code_data::{self, Token};
use crate::db::users::User;
use crate::error::Error;
use crate::json::Document;
use crate::otp::{Code, Flow};
use crate::refusal::Refusal;
use crate::state::State;

/// Waits for the right to talk to the mail server, before anybody looks whether somebody is to
/// get a letter: that the server is busy must not tell.
pub(crate) async fn reserve(state: &State, call: &Call) -> Result<(), Error> {
    if !state.mail.is_background() {
        call.keep_mail_slot(state.mail.slot(call.started.elapsed()).await?);
    }
    Ok(())
}

/// A letter about to be written. It holds the right to talk to the mail server, which is asked
/// for before the database.
pub(crate) struct Letter<'a> {
    state: &'a State,
    call: &'a Call,
    purpose: Purpose,
    flow: Flow,
    new_email: Option<&'a str>,
    said: Option<&'a Document>,
    templates: Arc<Pair>,
    slot: Option<Slot>,
}

impl<'a> Letter<'a> {
    /// Gets everything ready that is not in the database.
    pub(crate) async fn begin(
        state: &'a State,
        call: &'a Call,
        purpose: Purpose,
        flow: Flow,
    ) -> Result<Self, Error> {
        let templates = state.mail.templates(purpose.kind()).await;
        let slot = match call.take_mail_slot() {
            None if !state.mail.is_background() => {
                Some(state.mail.slot(call.started.elapsed()).await?)
            }
            slot => slot,
        };
        Ok(Self {
            state,
            call,
            purpose,
            flow,
            new_email: None,
            said: None,
            templates,
            slot,
        })
    }

    /// The address a change leads to.
    pub(crate) fn leading_to(mut self, email: &'a str) -> Self {
        self.new_email = Some(email);
        self
    }

    /// What is said about whom the letter is for, until whom it reaches makes it true. In an
    /// account that is confirmed it changes nothing.
    pub(crate) fn saying(mut self, data: &'a Document) -> Self {
        self.said = Some(data);
        self
    }

    /// Writes to a user who exists, and sends; `prelude` is what is stored along with it.
    pub(crate) async fn send_to(
        self,
        user: &User,
        event: Option<&Entry>,
        prelude: impl AsyncFn(&Tx<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let write = async |tx: &Tx<'_>| {
            prelude(tx).await?;
            self.write(tx, &mut user.clone(), event).await
        };
        let posted = self.state.db.transaction("mail", write).await?;
        self.send(posted).await
    }

    /// Stores the letter and its token for a user who exists.
    pub(crate) async fn write(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        event: Option<&Entry>,
    ) -> Result<Posted, Error> {
        db::users::lock(tx, user.id).await?;
        let stored = db::users::reload(tx, user.id).await?;
        self.post(tx, user, &stored, event).await
    }

    /// Stores the letter and its token for a user who was made for it in this transaction.
    pub(crate) async fn write_to_new(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        event: Option<&Entry>,
    ) -> Result<Posted, Error> {
        let stored = User::default();
        self.post(tx, user, &stored, event).await
    }

    /// Sends what was stored, now that it is committed.
    pub(crate) async fn send(self, posted: Posted) -> Result<(), Error> {
        let Some(slot) = self.slot else {
            drop(outbox::send_later(self.state, posted));
            return Ok(());
        };
        let elapsed = self.call.started.elapsed();
        outbox::send(self.state, posted, slot, elapsed)
            .await
            .map_err(|error| self.purpose.not_sent(error))
    }

    /// `stored` is the row as it is now; a new user's has no id yet.
    async fn post(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        stored: &User,
        event: Option<&Entry>,
    ) -> Result<Posted, Error> {
        let before = self.purpose.before(stored);
        if self.purpose != Purpose::Invite {
            check_frequency(self.state, before.sent_at)?;
        }
        self.permit(user)?;
        let codes = self.codes(user);
        let at = self.call.asked_at;
        let new_email = self.new_email.unwrap_or_default();
        let issued = self.purpose.issue(stored, new_email, &codes, at);
        let mails = self.compose(user, &codes)?;
        if let Some(event) = event {
            record(self.state, tx, event).await?;
        }
        let failed = Error::saying(self.purpose.failure());
        issued.store(tx, user).await.map_err(failed)?;
        issued.apply(user);
        if let Some(said) = self.said
            && stored.is_unproved()
        {
            let token = Token {
                user_id: user.id,
                stored: &codes.first.stored,
            };
            code_data::insert(tx, token, &before.token, said, at).await?;
        }
        let stored = Stored {
            user_id: user.id,
            is_new: stored.id.is_nil(),
            event: event.map(|event| event.id),
            issued,
            before,
        };
        let package = Package {
            mails,
            stored: Some(stored),
        };
        outbox::post(self.state, tx, package).await
    }

    fn is_to_both(&self, user: &User) -> bool {
        self.purpose == Purpose::EmailChange
            && self.state.config.mail.secure_email_change
            && !user.email.is_empty()
    }

    fn permit(&self, user: &User) -> Result<(), Error> {
        authorize(self.state, self.new_email.unwrap_or(&user.email))?;
        if self.is_to_both(user) {
            authorize(self.state, &user.email)?;
        }
        Ok(())
    }

    fn codes(&self, user: &User) -> Codes {
        let length = self.state.config.mail.otp_length;
        let code = |address: &str| self.state.codes.generate(length, address, self.flow);
        Codes {
            first: code(self.new_email.unwrap_or(&user.email)),
            to_current: self.is_to_both(user).then(|| code(&user.email)),
        }
    }

    fn compose(&self, user: &User, codes: &Codes) -> Result<Vec<Mail>, Error> {
        let first = self.mail(user, self.new_email.unwrap_or(&user.email), &codes.first)?;
        let to_current = codes
            .to_current
            .as_ref()
            .map(|code| self.mail(user, &user.email, code))
            .transpose()?;
        Ok(std::iter::once(first).chain(to_current).collect())
    }

    fn mail(&self, user: &User, to: &str, code: &Code) -> Result<Mail, Error> {
        let mut data = common(self.state, user);
        if let Some(new_email) = self.new_email {
            data = data.with("NewEmail", new_email).with("SendingTo", to);
        }
        let data = match self.purpose.link_type() {
            Some(link_type) => data.with_link(self.state, self.call, link_type, code),
            None => data.with("Token", code.digits.as_str()),
        };
        let composed =
            self.state
                .mail
                .compose(self.purpose.kind(), &self.templates, to, &data.value());
        composed.map_err(|error| match error {
            PostError::Address => {
                // Upstream: names the user's address, also where the mail goes to another.
                let address = if user.email.is_empty() {
                    to
                } else {
                    &user.email
                };
                Refusal::Undeliverable(address.to_owned()).into()
            }
            error => Error::internal(self.purpose.failure()).with_source(error),
        })
    }
}
