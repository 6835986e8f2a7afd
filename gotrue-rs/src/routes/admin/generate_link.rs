//! `POST /admin/generate_link`: the link of a mail without the mail.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use jiff::Timestamp;
use platform::http::mount::{Mount, post};
use platform::pg::Tx;
use serde::{Deserialize, Serialize};

use super::new_account::{self, check_unconfirmed};
use crate::accounts::change::record;
use crate::accounts::{metadata, policy, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::one_time_tokens::{EmailChange, SimpleToken};
use crate::db::users::User;
use crate::error::{EMAIL_EXISTS, Error, ErrorCode};
use crate::extract::Serving;
use crate::json::{self, Document};
use crate::mail::links::{LinkType, action_link};
use crate::mail::{MailTokens, external_address};
use crate::named::{Named as _, named};
use crate::otp::{Code, Flow};
use crate::routes::resource;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LinkBody {
    #[serde(rename = "type")]
    kind: String,
    email: String,
    new_email: String,
    password: String,
    data: Option<Document>,
    redirect_to: String,
}

named! {
    /// The kinds of link; the name is also what clients get back.
    enum Kind {
        Signup = "signup",
        Invite = "invite",
        MagicLink = "magiclink",
        Recovery = "recovery",
        EmailChangeCurrent = "email_change_current",
        EmailChangeNew = "email_change_new",
    }
}

impl Kind {
    fn link_type(self) -> LinkType {
        match self {
            Self::Signup => LinkType::Signup,
            Self::Invite => LinkType::Invite,
            Self::MagicLink => LinkType::MagicLink,
            Self::Recovery => LinkType::Recovery,
            Self::EmailChangeCurrent | Self::EmailChangeNew => LinkType::EmailChange,
        }
    }
}

#[derive(Serialize)]
struct LinkAnswer<'a> {
    #[serde(flatten)]
    user: &'a User,
    action_link: String,
    email_otp: &'a str,
    hashed_token: &'a str,
    verification_type: &'a str,
    redirect_to: &'a str,
}

/// Mounts the route.
pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Admin, _>(cfg, &["/admin/generate_link"], || [post(generate_link)]);
}

/// For admins.
async fn generate_link(state: Serving, admin: Admin, call: Call) -> Result<HttpResponse, Error> {
    let mut body: LinkBody = call.json()?;
    body.email = validate::email(&body.email)?;
    metadata::check_new(body.data.as_ref())?;
    let redirects = &state.config.redirects;
    let redirect_to = if redirects.allows(&body.redirect_to) {
        body.redirect_to.clone()
    } else {
        redirects.resolve(call.redirect_to(), call.referer())
    };
    let aud = call.audience(&state.config, Some(admin.claims()));
    let client = state.client().await?;
    let existing = db::users::by_email(&client, &body.email, &aud)
        .await
        .map_err(Error::saying("Database error finding user"))?;
    drop(client);
    let kind = kind(&body, existing.is_some())?;
    let fresh = match kind {
        Kind::Signup | Kind::Invite => {
            existing.as_ref().map_or(Ok(()), check_unconfirmed)?;
            Some(prepare(&state, &call, &body, &aud).await?)
        }
        _ => None,
    };
    let length = state.config.mail.otp_length;
    let code = state.codes.generate(length, &body.email, Flow::Implicit);
    let request = Request {
        state: &state,
        admin: &admin,
        body: &body,
        kind,
        code: &code,
    };
    let (user, token) = state
        .db
        .transaction("generate_link", async |tx| {
            // The earlier read may be out of date by now.
            let existing = match &existing {
                Some(user) => db::users::hold(tx, user.id).await?,
                None => None,
            };
            request.issue(tx, existing, fresh.as_ref()).await
        })
        .await
        .map_err(Error::or_taken)?;
    let external = external_address(&state, &call);
    let paths = &state.config.mail.paths;
    let answer = LinkAnswer {
        user: &user,
        action_link: action_link(&external, paths, kind.link_type(), &token, &redirect_to),
        email_otp: &code.digits,
        hashed_token: &code.stored,
        verification_type: kind.as_str(),
        redirect_to: &redirect_to,
    };
    Ok(json::respond(StatusCode::OK, &answer))
}

/// The kind of link; a magic link for a new address becomes a sign-up.
fn kind(body: &LinkBody, known: bool) -> Result<Kind, Error> {
    let kind = Kind::named(&body.kind).ok_or_else(|| {
        Error::invalid(format!(
            "Invalid email action link type requested: {}",
            body.kind
        ))
    })?;
    match kind {
        Kind::MagicLink if !known => Ok(Kind::Signup),
        Kind::Recovery | Kind::EmailChangeCurrent | Kind::EmailChangeNew if !known => {
            Err(unknown())
        }
        kind => Ok(kind),
    }
}

fn unknown() -> Error {
    Error::not_found(ErrorCode::UserNotFound, "User with this email not found")
}

/// A user for an address nobody has confirmed; hashing happens here, outside of the transaction.
async fn prepare(state: &State, call: &Call, body: &LinkBody, aud: &str) -> Result<User, Error> {
    let mut hash = String::new();
    // A magic link that signs up leaves its account without a password.
    if body.kind == Kind::Signup.as_str() {
        if body.password.is_empty() {
            return Err(Error::invalid("Signup requires a valid password"));
        }
        policy::check(&state.config.password, &body.password)?;
        hash = state
            .passwords
            .hash(&state.limits.origin(call), &body.password)
            .await?;
    }
    Ok(new_account::prepare(
        state,
        &body.email,
        aud,
        body.data.clone(),
        hash,
    ))
}

struct Request<'a> {
    state: &'a State,
    admin: &'a Admin,
    body: &'a LinkBody,
    kind: Kind,
    code: &'a Code,
}

impl Request<'_> {
    /// Stores the token; the user as it is then, and the token of the link.
    async fn issue(
        &self,
        tx: &Tx<'_>,
        existing: Option<User>,
        fresh: Option<&User>,
    ) -> Result<(User, String), Error> {
        let is_new = existing.is_none();
        let mut user = match (existing, fresh) {
            (Some(user), _) => user,
            (None, Some(fresh)) => new_account::store(self.state, tx, fresh).await?,
            // It was deleted meanwhile.
            (None, None) => return Err(unknown()),
        };
        let at = self.state.clock.now();
        let issued = match self.kind {
            Kind::MagicLink | Kind::Recovery => {
                let entry = Entry::new(&user, Action::UserRecoveryRequested);
                record(self.state, tx, &entry).await?;
                self.one(SimpleToken::Recovery, at)
            }
            Kind::Invite | Kind::Signup => {
                let hash = fresh.and_then(|fresh| fresh.encrypted_password.as_deref());
                if !is_new {
                    check_unconfirmed(&user)?;
                    let (data, hash) = (self.body.data.as_ref(), hash.unwrap_or_default());
                    new_account::hand_over(tx, &mut user, data, hash, at).await?;
                }
                self.confirmation(tx, &user, at).await?
            }
            Kind::EmailChangeCurrent | Kind::EmailChangeNew => {
                self.email_change(tx, &user, at).await?
            }
        };
        issued.store(tx, &user).await?;
        issued.apply(&mut user);
        let token = match self.kind {
            Kind::EmailChangeCurrent => user.email_change_token_current.clone(),
            Kind::EmailChangeNew => user.email_change_token_new.clone(),
            _ => self.code.stored.clone(),
        };
        Ok((user, token))
    }

    fn one(&self, kind: SimpleToken, at: Timestamp) -> MailTokens {
        let token = self.code.stored.clone();
        MailTokens::One { kind, token, at }
    }

    async fn confirmation(
        &self,
        tx: &Tx<'_>,
        user: &User,
        at: Timestamp,
    ) -> Result<MailTokens, Error> {
        // The content of a sign-up may be what somebody told the project's backend.
        if self.kind != Kind::Invite {
            return Ok(self.one(SimpleToken::Confirmation, at));
        }
        db::admin_accounts::insert(tx, user.id).await?;
        let entry = Entry::new(&self.admin.actor(), Action::UserInvited)
            .trait_("user_id", user.id.to_string())
            .trait_("user_email", user.email.as_str());
        record(self.state, tx, &entry).await?;
        Ok(self.one(SimpleToken::Invitation, at))
    }

    async fn email_change(
        &self,
        tx: &Tx<'_>,
        user: &User,
        at: Timestamp,
    ) -> Result<MailTokens, Error> {
        let current = self.kind == Kind::EmailChangeCurrent;
        if current && !self.state.config.mail.secure_email_change {
            return Err(Error::invalid(
                "Enable secure email change to generate link for current email",
            ));
        }
        let new_email = validate::email(&self.body.new_email)?;
        let own = &self.state.config.own_domain_providers;
        let taken = db::users::duplicate_of_email(tx, &new_email, &user.aud, Some(user.id), own)
            .await
            .map_err(Error::saying("Database error checking email"))?;
        if taken.is_some() {
            return Err(Error::unprocessable(ErrorCode::EmailExists, EMAIL_EXISTS));
        }
        let new_token = self.state.codes.hash(&new_email, &self.code.digits);
        let (current, new) = if current {
            (
                self.code.stored.clone(),
                user.email_change_token_new.clone(),
            )
        } else {
            (user.email_change_token_current.clone(), new_token)
        };
        let change = EmailChange {
            new_email,
            current,
            new,
        };
        Ok(MailTokens::EmailChange { change, at })
    }
}
