//! `PUT /user`: changing address, number, password or metadata.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::pg::Tx;
use serde::Deserialize;

use crate::accounts::change::{confirm_email_change, confirm_phone_change, record};
use crate::accounts::identity::verified_email;
use crate::accounts::metadata;
use crate::accounts::phone::{self, Purpose};
use crate::accounts::pkce::{self, Challenge};
use crate::accounts::{policy, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Caller;
use crate::db;
use crate::db::identities::Identity;
use crate::db::users::User;
use crate::error::Error;
use crate::extract::Serving;
use crate::json::{self, Document};
use crate::limits::Bucket;
use crate::mail::{self, Letter, Notice, Posted};
use crate::sessions::AuthMethod;
use crate::state::State;

mod checks;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UpdateBody {
    email: String,
    password: Option<String>,
    current_password: Option<String>,
    nonce: String,
    data: Option<Document>,
    app_metadata: Option<Document>,
    phone: String,
    channel: String,
    code_challenge: String,
    code_challenge_method: String,
}

impl UpdateBody {
    /// A password that is not empty; an empty one removes the password.
    fn new_password(&self) -> Option<&str> {
        self.password
            .as_deref()
            .filter(|password| !password.is_empty())
    }

    fn changes_email(&self, user: &User) -> bool {
        !self.email.is_empty() && self.email != user.email
    }

    fn changes_phone(&self, user: &User) -> bool {
        !self.phone.is_empty() && self.phone != user.phone
    }

    fn challenge(&self) -> Challenge {
        Challenge {
            method: self.code_challenge_method.clone(),
            challenge: self.code_challenge.clone(),
        }
    }
}

/// Changes the caller's account.
pub(super) async fn put_user(
    state: Serving,
    caller: Caller,
    call: Call,
) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::User, &call)?;
    let mut body: UpdateBody = call.json()?;
    validate(&state, &mut body)?;
    body.challenge().validate()?;
    let update = checks::Update {
        state: &state,
        call: &call,
        caller: &caller,
        body: &body,
    };
    update.check().await?;
    let new_hash = update.check_password().await?;
    let old = &caller.user;
    let sets_first_password = body.new_password().is_some() && !old.has_password();
    let letter = update.letter().await?;
    let apply = async |tx: &Tx<'_>| {
        let mut user = caller.hold(&state, tx).await?;
        if body.password.is_some() {
            let hash = new_hash.as_deref();
            update
                .store_password(tx, &mut user, hash, sets_first_password)
                .await?;
        }
        update.merge_metadata(tx, &mut user).await?;
        let posted = update.change_email(tx, &mut user, letter.as_ref()).await?;
        update.change_phone(tx, &mut user).await?;
        update.record_change(tx, &user).await?;
        Ok::<_, Error>((user, posted))
    };
    let (user, posted) = state
        .db
        .transaction("update_user", apply)
        .await
        .map_err(Error::or_taken)?;
    if let (Some(letter), Some(posted)) = (letter, posted) {
        letter.send(posted).await?;
    }
    notify(&state, &body, old, &user).await;
    Ok(json::respond(StatusCode::OK, &user))
}

fn validate(state: &State, body: &mut UpdateBody) -> Result<(), Error> {
    if !body.email.is_empty() {
        body.email = validate::email(&body.email)?;
    }
    if !body.phone.is_empty() {
        body.phone = validate::phone(&body.phone)?;
        let chosen = if body.channel.is_empty() {
            "sms"
        } else {
            &body.channel
        };
        validate::channel(&state.config.sms, chosen)?;
    }
    match &body.password {
        Some(password) => policy::check(&state.config.password, password),
        None => Ok(()),
    }
}

/// Tells the user what changed, where that is switched on.
async fn notify(state: &State, body: &UpdateBody, old: &User, user: &User) {
    if body.password.is_some() {
        mail::notify(state, user, Notice::PasswordChanged).await;
    }
    if body.changes_phone(old) && user.phone != old.phone {
        mail::notify(state, user, Notice::PhoneChanged { old: &old.phone }).await;
    }
}

impl checks::Update<'_> {
    async fn store_password(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        hash: Option<&str>,
        is_first: bool,
    ) -> Result<(), Error> {
        let now = self.state.clock.now();
        let session = self.caller.session.as_ref().map(|session| session.id);
        db::users::set_password(tx, user, hash, session, now)
            .await
            .map_err(Error::saying("Error during password storage"))?;
        record(
            self.state,
            tx,
            &Entry::new(user, Action::UserUpdatedPassword),
        )
        .await?;
        if is_first {
            self.add_email_identity(tx, user).await?;
        }
        Ok(())
    }

    /// An account that gets its first password can be signed in to by mail address from now on,
    /// which may be shown as an identity.
    async fn add_email_identity(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let has_one = user
            .identities()
            .iter()
            .any(|identity| identity.provider == "email");
        let wanted = self.state.config.identity_on_password_set
            && !(user.is_sso_user || user.is_anonymous || user.email.is_empty())
            && user.is_confirmed();
        if !wanted || has_one {
            return Ok(());
        }
        let now = self.state.clock.now();
        let identity = Identity::new(user.id, "email", verified_email(user.id, &user.email), now);
        db::identities::insert(tx, &identity)
            .await
            .map_err(Error::saying("Error creating identity"))?;
        user.identities.get_or_insert_default().push(identity);
        Ok(db::users::refresh_providers(tx, user, now).await?)
    }

    /// The mail that asks to confirm another address.
    async fn letter(&self) -> Result<Option<Letter<'_>>, Error> {
        let (state, user) = (self.state, &self.caller.user);
        // To an anonymous user this is like signing up, so it may need no confirmation.
        if !self.body.changes_email(user) || user.is_anonymous && state.config.mail.autoconfirm {
            return Ok(None);
        }
        let current = if state.config.mail.secure_email_change {
            user.email.as_str()
        } else {
            ""
        };
        let recipients = [self.body.email.as_str(), current];
        mail::admit(state, self.call, mail::Asker::User, &recipients)?;
        let flow = self.body.challenge().flow();
        let letter = Letter::begin(state, self.call, mail::Purpose::EmailChange, flow).await?;
        Ok(Some(letter.leading_to(&self.body.email)))
    }

    async fn merge_metadata(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let changes = metadata::Changes {
            own: self.body.data.as_ref(),
            app: self.body.app_metadata.as_ref(),
        };
        metadata::merge(tx, user, changes, self.state.clock.now()).await
    }

    async fn change_email(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        letter: Option<&Letter<'_>>,
    ) -> Result<Option<Posted>, Error> {
        let (state, body) = (self.state, self.body);
        if !body.changes_email(user) {
            return Ok(None);
        }
        let Some(letter) = letter else {
            // Whether a mail is due was decided by an earlier read.
            if !(user.is_anonymous && state.config.mail.autoconfirm) {
                return Err(Error::conflict(
                    "The account was changed meanwhile, please try again",
                ));
            }
            user.email_change.clone_from(&body.email);
            confirm_email_change(state, tx, user).await?;
            return Ok(None);
        };
        let (challenge, now) = (body.challenge(), state.clock.now());
        pkce::start(tx, user.id, AuthMethod::EmailChange, &challenge, now).await?;
        letter.write(tx, user, None).await.map(Some)
    }

    async fn change_phone(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let phone = &self.body.phone;
        if !self.body.changes_phone(user) {
            return Ok(());
        }
        if self.state.config.sms.autoconfirm {
            return confirm_phone_change(self.state, tx, user, phone).await;
        }
        phone::send(self.state, tx, user, phone, Purpose::Change).await?;
        Ok(())
    }

    async fn record_change(&self, tx: &Tx<'_>, user: &User) -> Result<(), Error> {
        record(self.state, tx, &Entry::new(user, Action::UserModified))
            .await
            .map_err(|error| match error {
                Error::Unexpected(cause) => {
                    Error::internal("Error recording audit log entry").with_source(cause)
                }
                other => other,
            })
    }
}
