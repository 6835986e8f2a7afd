//! How an account with an address or a phone number comes to be.
//!
//! Mirrors upstream's `internal/api/signup.go`. Magic links and one-time codes for addresses
//! nobody knows take the same way.

mod anonymous;
mod by_code;
mod repeated;

use platform::pg::Tx;
use uuid::Uuid;

use super::change::record;
use super::identity::{become_only, unverified};
use super::phone::{self, Purpose};
use super::pkce::{self, Challenge};
use super::{policy, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::db::identities::Identity;
use crate::db::users::User;
use crate::error::Error;
use crate::json::Document;
use crate::limits::{Asked, Note};
use crate::mail::{self, Letter, Posted};
use crate::named::named;
use crate::refusal::Refusal;
use crate::sessions::{self, AuthMethod, Grant, SessionTokens};
use crate::state::State;

pub(crate) use anonymous::sign_up_anonymously;
pub(crate) use by_code::open;

/// What somebody who signs up says.
#[derive(Debug, Default)]
pub(crate) struct NewAccount {
    pub(crate) email: String,
    pub(crate) phone: String,
    /// `None` for an account that is entered by codes and links until its owner sets one.
    pub(crate) password: Option<String>,
    pub(crate) data: Option<Document>,
    pub(crate) channel: String,
    pub(crate) challenge: Challenge,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum SignUpOutcome {
    /// No confirmation is needed: the user is signed in.
    SignedIn(Box<User>, Box<SessionTokens>),
    /// A mail or message has to be answered first, or the user existed already and is shown in
    /// a way that does not tell.
    Pending(Box<User>),
}

named! {
    /// By what an account is known.
    enum Provider {
        Email = "email",
        Phone = "phone",
    }
}

/// A sign-up whose parts have been checked.
struct SignUp<'a> {
    state: &'a State,
    call: &'a Call,
    provider: Provider,
    account: NewAccount,
    aud: String,
}

/// Signs somebody up.
pub(crate) async fn sign_up(
    state: &State,
    call: &Call,
    account: NewAccount,
) -> Result<SignUpOutcome, Error> {
    check_open(state)?;
    let sign_up = SignUp::checked(state, call, account)?;
    let note = sign_up.admit()?;
    let outcome = sign_up.serve().await;
    match note {
        Some(note) => note.unless_refused(outcome),
        None => outcome,
    }
}

/// Whether anybody may sign up at all.
pub(crate) fn check_open(state: &State) -> Result<(), Refusal> {
    let is_closed = state.config.disable_signup;
    (!is_closed).then_some(()).ok_or(Refusal::SignupsClosed)
}

impl<'a> SignUp<'a> {
    fn checked(state: &'a State, call: &'a Call, mut account: NewAccount) -> Result<Self, Error> {
        let config = &state.config;
        if let Some(password) = &account.password {
            if password.is_empty() {
                return Err(Refusal::invalid("Signup requires a valid password").into());
            }
            policy::check(&config.password, password)?;
        }
        if !account.email.is_empty() && !account.phone.is_empty() {
            return Err(Refusal::invalid(
                "Only an email address or phone number should be provided on signup.",
            )
            .into());
        }
        let provider = if account.email.is_empty() {
            Provider::Phone
        } else {
            Provider::Email
        };
        if provider == Provider::Phone {
            let chosen = if account.channel.is_empty() {
                "sms"
            } else {
                &account.channel
            };
            validate::channel(&config.sms, chosen)?;
            account.channel = chosen.to_owned();
            if account.challenge.is_pkce() {
                return Err(Refusal::invalid("PKCE not supported for phone signups").into());
            }
        }
        account.challenge.validate()?;
        let aud = call.audience(config, None);
        match provider {
            Provider::Email if !config.external.email => {
                return Err(Refusal::EmailSignupsClosed.into());
            }
            Provider::Phone if !config.external.phone => {
                return Err(Refusal::PhoneSignupsClosed.into());
            }
            Provider::Email => account.email = validate::email(&account.email)?,
            Provider::Phone => account.phone = validate::phone(&account.phone)?,
        }
        Ok(Self {
            state,
            call,
            provider,
            account,
            aud,
        })
    }

    async fn existing(&self) -> Result<Option<User>, Error> {
        let client = self.state.client().await?;
        let (email, phone) = (&self.account.email, &self.account.phone);
        let own = &self.state.config.own_domain_providers;
        let found = match self.provider {
            Provider::Email => {
                db::users::duplicate_of_email(&client, email, &self.aud, None, own).await
            }
            Provider::Phone => db::users::by_phone(&client, phone, &self.aud).await,
        };
        found.map_err(Error::saying("Database error finding user"))
    }

    fn is_confirmed(&self, user: &User) -> bool {
        match self.provider {
            Provider::Email => user.is_confirmed(),
            Provider::Phone => user.is_phone_confirmed(),
        }
    }

    fn data(&self) -> Document {
        self.account.data.clone().unwrap_or_default()
    }

    /// A user to be stored. Hashing happens here, outside of any transaction.
    async fn fresh(&self) -> Result<User, Error> {
        let hash = match &self.account.password {
            Some(password) => {
                let origin = self.state.limits.origin(self.call);
                self.state.passwords.hash(&origin, password).await?
            }
            // Upstream: hashes a random password, which takes the time of a sign-in and tells
            // nobody anything.
            None => String::new(),
        };
        let provider = self.provider.as_str();
        Ok(User {
            id: Uuid::new_v4(),
            aud: self.aud.clone(),
            role: self.state.config.jwt.default_group_name.clone(),
            email: self.account.email.clone(),
            phone: self.account.phone.clone(),
            encrypted_password: Some(hash),
            user_metadata: self.data(),
            app_metadata: Document::default()
                .with("provider", provider)
                .with("providers", vec![provider]),
            identities: Some(Vec::new()),
            ..User::default()
        })
    }

    /// Counts the confirmation that may have to be sent, and notes that it was asked for, so that
    /// asking to send it again soon is refused, whether there is an account or not.
    fn admit(&self) -> Result<Option<Note>, Error> {
        if self.autoconfirms() {
            return Ok(None);
        }
        mail::admit(
            self.state,
            self.call,
            mail::Asker::Anybody,
            &[&self.account.email],
        )?;
        let (asked, address) = match self.provider {
            Provider::Email => (Asked::Confirmation, &self.account.email),
            Provider::Phone => (Asked::Message, &self.account.phone),
        };
        // Signing up itself is never refused, but then asks nobody.
        Ok(self.state.asked.note(asked, address).ok())
    }

    async fn serve(&self) -> Result<SignUpOutcome, Error> {
        // Made before anybody looks whether it is wanted: it takes most of the time there is to
        // measure from outside.
        let fresh = self.fresh().await?;
        if self.provider == Provider::Email && !self.autoconfirms() {
            mail::reserve(self.state, self.call).await?;
        }
        self.answer(fresh).await
    }

    /// Makes the account, or does what is right where there is one. Where something has to be
    /// confirmed, the answer is the same in both cases.
    async fn answer(&self, fresh: User) -> Result<SignUpOutcome, Error> {
        let taken = match self.existing().await? {
            Some(user) => Some(user),
            None => match self.settle_new(fresh.clone()).await {
                // Upstream: the loser of two sign-ups at the same time gets a server error, as
                // does who names another audience than the account's; here both find an account
                // that is taken.
                Err(error) if error.is_duplicate() => self.existing().await?,
                Ok(SignUpOutcome::Pending(user)) => {
                    return Ok(repeated::pending(self, fresh, user.identities()));
                }
                outcome => return outcome,
            },
        };
        match taken {
            Some(user) if !self.is_confirmed(&user) => {
                if self.has_to_wait(&user) {
                    return Ok(repeated::pending(self, fresh, &[]));
                }
                match self.settle_again(user.id).await? {
                    Some(SignUpOutcome::Pending(_)) => Ok(repeated::pending(self, fresh, &[])),
                    Some(signed_in) => Ok(signed_in),
                    None => Box::pin(self.answer(fresh)).await,
                }
            }
            taken => repeated::answer(self, taken, fresh).await,
        }
    }

    /// Whether addresses or numbers count as confirmed without being asked.
    fn autoconfirms(&self) -> bool {
        match self.provider {
            Provider::Email => self.state.config.mail.autoconfirm,
            Provider::Phone => self.state.config.sms.autoconfirm,
        }
    }

    /// Whether the last confirmation is too recent for another one.
    fn is_too_soon(&self, user: &User) -> bool {
        match self.provider {
            Provider::Email => mail::is_too_soon(self.state, user.confirmation_sent_at),
            Provider::Phone => phone::is_too_soon(self.state, user.confirmation_sent_at),
        }
    }

    /// Whether another confirmation would be wanted too soon.
    fn has_to_wait(&self, user: &User) -> bool {
        !self.autoconfirms() && self.is_too_soon(user)
    }

    /// Stores an account.
    async fn settle_new(&self, fresh: User) -> Result<SignUpOutcome, Error> {
        let letter = self.letter().await?;
        let store = async |tx: &Tx<'_>| {
            let user = db::users::insert(tx, &fresh, self.state.clock.now())
                .await
                .map_err(Error::saying("Database error saving new user"))?;
            self.settle_in(tx, user, true, letter.as_ref()).await
        };
        let stored = self.state.db.transaction("sign_up", store).await?;
        self.finish(stored, letter).await
    }

    /// Signs up to an account that nobody has confirmed; `None` if somebody has meanwhile, or it
    /// is gone, or somebody else has just been sent a confirmation.
    async fn settle_again(&self, id: Uuid) -> Result<Option<SignUpOutcome>, Error> {
        let letter = self.letter().await?;
        let store = async |tx: &Tx<'_>| match db::users::hold(tx, id).await? {
            Some(user) if !self.is_confirmed(&user) && !self.has_to_wait(&user) => self
                .settle_in(tx, user, false, letter.as_ref())
                .await
                .map(Some),
            _ => Ok::<_, Error>(None),
        };
        match self.state.db.transaction("sign_up", store).await? {
            Some(stored) => self.finish(stored, letter).await.map(Some),
            None => Ok(None),
        }
    }

    /// Sends the mail there is to send, or signs in.
    async fn finish(
        &self,
        (mut user, posted): (User, Option<Posted>),
        letter: Option<Letter<'_>>,
    ) -> Result<SignUpOutcome, Error> {
        if let (Some(letter), Some(posted)) = (letter, posted) {
            letter.send(posted).await?;
        }
        // Upstream: signs in whoever has any confirmed identifier, so that signing up with the
        // unconfirmed address of a user with a confirmed phone number yields a session of that
        // user. Here only the identifier of this sign-up counts.
        if self.is_confirmed(&user) {
            let issued = self.sign_in(&mut user).await?;
            return Ok(SignUpOutcome::SignedIn(Box::new(user), Box::new(issued)));
        }
        Ok(SignUpOutcome::Pending(Box::new(user)))
    }

    /// The mail that asks to confirm the address, unless nothing has to be confirmed.
    async fn letter(&self) -> Result<Option<Letter<'_>>, Error> {
        if self.provider == Provider::Phone || self.state.config.mail.autoconfirm {
            return Ok(None);
        }
        let flow = self.account.challenge.flow();
        let purpose = mail::Purpose::Confirmation;
        let letter = Letter::begin(self.state, self.call, purpose, flow).await?;
        Ok(Some(letter))
    }

    async fn settle_in(
        &self,
        tx: &Tx<'_>,
        mut user: User,
        is_new: bool,
        letter: Option<&Letter<'_>>,
    ) -> Result<(User, Option<Posted>), Error> {
        let provider = self.provider.as_str();
        let known = if is_new {
            None
        } else {
            db::identities::by_provider(tx, &user.id.to_string(), provider).await?
        };
        let identity = match known {
            Some(identity) => identity,
            None => self.add_identity(tx, &mut user).await?,
        };
        user.identities = Some(vec![identity]);
        let Some(letter) = letter else {
            self.confirm(tx, &mut user).await?;
            return Ok((user, None));
        };
        let posted = self.ask(tx, &mut user, is_new, letter).await?;
        Ok((user, Some(posted)))
    }

    /// Gives the user the identity of this sign-up and takes all others away.
    async fn add_identity(&self, tx: &Tx<'_>, user: &mut User) -> Result<Identity, Error> {
        let now = self.state.clock.now();
        let data = unverified(user.id, &user.email, &self.data());
        let mut identity = Identity::new(user.id, self.provider.as_str(), data, now);
        db::identities::insert(tx, &identity)
            .await
            .map_err(Error::saying("Error creating identity"))?;
        become_only(tx, user, &mut identity, now).await?;
        Ok(identity)
    }

    /// Confirms the user at once, or asks for a confirmation by message.
    async fn confirm(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let provider = self.provider.as_str();
        if !self.autoconfirms() {
            let entry = Entry::new(user, Action::UserConfirmationRequested);
            record(self.state, tx, &entry.trait_("provider", provider)).await?;
            let phone = self.account.phone.as_str();
            phone::send(self.state, tx, user, phone, Purpose::Confirmation).await?;
            return Ok(());
        }
        let mut entry = Entry::new(user, Action::UserSignedUp).trait_("provider", provider);
        let now = self.state.clock.now();
        let confirmed = match self.provider {
            Provider::Email => {
                record(self.state, tx, &entry).await?;
                db::users::confirm_email(tx, user, now).await
            }
            Provider::Phone => {
                entry = entry.trait_("channel", self.account.channel.as_str());
                record(self.state, tx, &entry).await?;
                db::users::confirm_phone(tx, user, now).await
            }
        };
        confirmed.map_err(Error::saying("Database error updating user"))?;
        self.show_verified(user);
        Ok(())
    }

    /// Upstream: user and identity share one map in memory, so the answer shows the identity as
    /// verified although its row does not say so.
    fn show_verified(&self, user: &mut User) {
        if self.provider == Provider::Email
            && let Some([identity]) = user.identities.as_deref_mut()
        {
            identity
                .identity_data
                .insert("email_verified".to_owned(), true.into());
        }
    }

    /// Asks for a confirmation by mail.
    async fn ask(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        is_new: bool,
        letter: &Letter<'_>,
    ) -> Result<Posted, Error> {
        let event = Entry::new(user, Action::UserConfirmationRequested)
            .trait_("provider", self.provider.as_str());
        let challenge = &self.account.challenge;
        let now = self.state.clock.now();
        pkce::start(tx, user.id, AuthMethod::EmailSignup, challenge, now).await?;
        if is_new {
            letter.write_to_new(tx, user, Some(&event)).await
        } else {
            letter.write(tx, user, Some(&event)).await
        }
    }

    async fn sign_in(&self, user: &mut User) -> Result<SessionTokens, Error> {
        let entry = Entry::new(user, Action::Login).trait_("provider", self.provider.as_str());
        let client = self.state.client().await?;
        let grant = Grant::audited(entry);
        sessions::issue(
            self.state,
            &client,
            self.call,
            user,
            AuthMethod::Password,
            grant,
        )
        .await
    }
}
