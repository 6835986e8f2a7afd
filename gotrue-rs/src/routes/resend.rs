//! `POST /resend`: the last mail or message once more. Mirrors upstream's `resend.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, post};
use serde::Deserialize;

use crate::accounts::change::record;
use crate::accounts::phone::{self, Purpose};
use crate::accounts::pkce::{self, Challenge};
use crate::accounts::validate;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json;
use crate::limits::{Asked, Bucket};
use crate::mail::{self, Asker, Letter};
use crate::named::{Named as _, named};
use crate::routes::{MessageBody, resource};
use crate::sessions::AuthMethod;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ResendBody {
    #[serde(rename = "type")]
    kind: String,
    email: String,
    phone: String,
    code_challenge: String,
    code_challenge_method: String,
}

named! {
    /// What can be sent again.
    enum Kind {
        Signup = "signup",
        EmailChange = "email_change",
        Sms = "sms",
        PhoneChange = "phone_change",
    }
}

impl Kind {
    fn asked(self) -> Asked {
        match self {
            Self::Signup => Asked::Confirmation,
            Self::EmailChange => Asked::EmailChange,
            Self::Sms => Asked::Message,
            Self::PhoneChange => Asked::PhoneChange,
        }
    }

    fn is_message(self) -> bool {
        matches!(self, Self::Sms | Self::PhoneChange)
    }

    /// Whether the user still waits for this.
    fn is_pending(self, user: &User) -> bool {
        match self {
            Self::Signup => !user.is_confirmed(),
            Self::Sms => !user.is_phone_confirmed(),
            Self::EmailChange => !user.email_change.is_empty(),
            Self::PhoneChange => !user.phone_change.is_empty(),
        }
    }
}

/// A request that makes sense.
struct Wanted {
    kind: Kind,
    email: String,
    phone: String,
    challenge: Challenge,
}

impl Wanted {
    fn address(&self) -> &str {
        if self.email.is_empty() {
            &self.phone
        } else {
            &self.email
        }
    }
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/resend"], || [post(resend_code)]);
}

/// Public: whether somebody waits for a code shows only in whether it comes.
async fn resend_code(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::Resend, &call)?;
    let wanted = validate(&state, call.json()?)?;
    if wanted.kind.is_message() && !can_send(&state, &wanted) {
        // Upstream: an error for who waits for a message.
        return Ok(json::empty_object());
    }
    let note = state.asked.note(wanted.kind.asked(), wanted.address())?;
    note.unless_refused(mail::admit(&state, &call, Asker::Anybody, &[&wanted.email]))?;
    note.unless_refused(resend(&state, &call, &wanted).await)?;
    let message_id = if wanted.kind.is_message() {
        phone::MESSAGE_ID
    } else {
        ""
    };
    Ok(json::respond(StatusCode::OK, &MessageBody { message_id }))
}

/// Whether a message to whom was asked for could be sent; if not, nobody has to wait for the next.
fn can_send(state: &State, wanted: &Wanted) -> bool {
    wanted.phone.is_empty() || phone::code(state, &wanted.phone).is_ok()
}

async fn resend(state: &State, call: &Call, wanted: &Wanted) -> Result<(), Error> {
    if !wanted.kind.is_message() {
        mail::reserve(state, call).await?;
    }
    let Some(user) = waiting(state, call, wanted).await? else {
        return Ok(());
    };
    match wanted.kind {
        Kind::Signup => resend_signup(state, call, &user, &wanted.challenge).await,
        Kind::EmailChange => resend_email_change(state, call, &user, &wanted.challenge).await,
        Kind::Sms | Kind::PhoneChange => resend_message(state, &user, wanted).await,
    }
}

/// The user who waits for what is asked for and can be sent it now. It must not show whether
/// there is one.
async fn waiting(state: &State, call: &Call, wanted: &Wanted) -> Result<Option<User>, Error> {
    let aud = call.audience(&state.config, None);
    let client = state.client().await?;
    let user = if wanted.email.is_empty() {
        db::users::by_phone(&client, &wanted.phone, &aud).await
    } else {
        db::users::by_email(&client, &wanted.email, &aud).await
    };
    let user = user.map_err(Error::saying("Unable to process request"))?;
    Ok(user.filter(|user| {
        wanted.kind.is_pending(user)
            && match wanted.kind {
                Kind::Signup => !mail::is_too_soon(state, user.confirmation_sent_at),
                Kind::EmailChange => {
                    !mail::is_too_soon(state, user.email_change_sent_at)
                        && mail::authorize(state, &user.email_change).is_ok()
                }
                Kind::Sms => !phone::is_too_soon(state, user.confirmation_sent_at),
                Kind::PhoneChange => {
                    !phone::is_too_soon(state, user.phone_change_sent_at)
                        && phone::code(state, &user.phone_change).is_ok()
                }
            }
    }))
}

fn validate(state: &State, body: ResendBody) -> Result<Wanted, Error> {
    let refuse = |text: &'static str| Error::invalid(text);
    let kind = Kind::named(&body.kind).ok_or_else(|| {
        refuse("Missing one of these types: signup, email_change, sms, phone_change")
    })?;
    let challenge = Challenge {
        method: body.code_challenge_method,
        challenge: body.code_challenge,
    };
    if matches!(kind, Kind::Signup | Kind::EmailChange) {
        challenge.validate()?;
    }
    let (email, phone) = (body.email, body.phone);
    if email.is_empty() && kind == Kind::Signup {
        return Err(refuse("Type provided requires an email address"));
    }
    if phone.is_empty() && kind == Kind::Sms {
        return Err(refuse("Type provided requires a phone number"));
    }
    let disabled = |code, text: &'static str| Err(Error::bad_request(code, text));
    match (email.is_empty(), phone.is_empty()) {
        (false, false) => Err(refuse(
            "Only an email address or phone number should be provided.",
        )),
        (true, true) => Err(refuse("Missing email address or phone number")),
        (false, true) if !state.config.external.email => disabled(
            ErrorCode::EmailProviderDisabled,
            "Email logins are disabled",
        ),
        (true, false) if !state.config.external.phone => disabled(
            ErrorCode::PhoneProviderDisabled,
            "Phone logins are disabled",
        ),
        (false, true) => Ok(Wanted {
            kind,
            email: validate::email(&email)?,
            phone,
            challenge,
        }),
        (true, false) => Ok(Wanted {
            kind,
            email,
            phone: validate::phone(&phone)?,
            challenge,
        }),
    }
}

async fn resend_signup(
    state: &State,
    call: &Call,
    user: &User,
    challenge: &Challenge,
) -> Result<(), Error> {
    let event = Entry::new(user, Action::UserConfirmationRequested);
    let purpose = mail::Purpose::Confirmation;
    let letter = Letter::begin(state, call, purpose, challenge.flow()).await?;
    letter
        .send_to(user, Some(&event), async |tx| {
            let now = state.clock.now();
            pkce::start(tx, user.id, AuthMethod::EmailSignup, challenge, now).await
        })
        .await
}

async fn resend_email_change(
    state: &State,
    call: &Call,
    user: &User,
    challenge: &Challenge,
) -> Result<(), Error> {
    let purpose = mail::Purpose::EmailChange;
    let letter = Letter::begin(state, call, purpose, challenge.flow()).await?;
    letter
        .leading_to(&user.email_change)
        .send_to(user, None, async |tx| {
            let now = state.clock.now();
            pkce::start(tx, user.id, AuthMethod::EmailChange, challenge, now).await
        })
        .await
}

async fn resend_message(state: &State, user: &User, wanted: &Wanted) -> Result<(), Error> {
    let (number, purpose) = match wanted.kind {
        // Upstream: an account found by its email address is sent a code for no number.
        Kind::Sms => (&wanted.phone, Purpose::Confirmation),
        _ => (&user.phone_change, Purpose::Change),
    };
    let entry = Entry::new(user, Action::UserRecoveryRequested);
    state
        .db
        .transaction("resend", async |tx| {
            if purpose == Purpose::Confirmation {
                record(state, tx, &entry).await?;
            }
            phone::send(state, tx, &mut user.clone(), number, purpose).await?;
            Ok(())
        })
        .await
}
