//! `POST /magiclink`: a mail to sign in, and up, without a password. Mirrors upstream's
//! `magic_link.go`.

use actix_web::HttpResponse;
use platform::http::mount::{Mount, post};
use serde::Deserialize;

use crate::accounts::pkce::{self, Challenge};
use crate::accounts::{self, NewAccount, metadata, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json::{self, Document};
use crate::limits::{Asked, Bucket};
use crate::mail::{self, Asker, Letter, Purpose};
use crate::refusal::Refusal;
use crate::routes::resource;
use crate::sessions::AuthMethod;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MagicLinkBody {
    email: String,
    data: Option<Document>,
    code_challenge_method: String,
    code_challenge: String,
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Whether an address without an account gets one.
    pub(super) create_user: bool,
    pub(super) email: String,
    pub(super) data: Option<Document>,
    pub(super) challenge: Challenge,
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/magiclink"], || [post(send_magic_link)]);
}

/// Public.
async fn send_magic_link(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::MagicLink, &call)?;
    check_enabled(&state)?;
    let body: MagicLinkBody = call.json_stream(|reason| {
        Error::bad_request(
            ErrorCode::BadJson,
            format!("Could not read verification params: {reason}"),
        )
    })?;
    let challenge = Challenge {
        method: body.code_challenge_method,
        challenge: body.code_challenge,
    };
    send(
        &state,
        &call,
        Wanted {
            create_user: true,
            email: body.email,
            data: body.data,
            challenge,
        },
    )
    .await
}

fn check_enabled(state: &State) -> Result<(), Error> {
    let refuse =
        |text: &'static str| Err(Error::unprocessable(ErrorCode::EmailProviderDisabled, text));
    if !state.config.external.email {
        return refuse("Email logins are disabled");
    }
    if !state.config.external.magic_link {
        return refuse("Login with magic link is disabled");
    }
    Ok(())
}

/// Signs the address up if it is new, and sends the mail that signs it in.
pub(super) async fn send(
    state: &State,
    call: &Call,
    mut wanted: Wanted,
) -> Result<HttpResponse, Error> {
    check_enabled(state)?;
    if wanted.email.is_empty() {
        return Err(Error::unprocessable(
            ErrorCode::ValidationFailed,
            "Password recovery requires an email",
        ));
    }
    let address = validate::email(&wanted.email);
    wanted.email = address.map_err(|error| or_missing(wanted.create_user, error))?;
    wanted.challenge.validate()?;
    metadata::check_new(wanted.data.as_ref())?;
    let note = state.asked.note(Asked::Link, &wanted.email)?;
    note.unless_refused(mail::admit(state, call, Asker::Anybody, &[&wanted.email]))?;
    note.unless_refused(deliver(state, call, &wanted).await)?;
    Ok(json::empty_object())
}

async fn deliver(state: &State, call: &Call, wanted: &Wanted) -> Result<(), Error> {
    mail::reserve(state, call).await?;
    let mut user = find(state, call, &wanted.email).await?;
    if user.is_none() {
        if !wanted.create_user {
            return Err(missing());
        }
        if accounts::check_open(state).is_err() {
            // Upstream: says so, and thereby who has an account.
            return Ok(());
        }
        if accounts::open(state, call, account(wanted)).await? && !state.config.mail.autoconfirm {
            // The mail that confirms the address signs in, too.
            return Ok(());
        }
        user = find(state, call, &wanted.email).await?;
    }
    let user = user.filter(|user| !mail::is_too_soon(state, user.recovery_sent_at));
    let Some(user) = user else { return Ok(()) };
    // Upstream: sends any account whose address is not confirmed the confirmation of its sign-up,
    // and so lets whoever signed up with somebody else's address keep the password.
    send_to(state, call, &user, wanted).await
}

/// What is answered to who wants no account to be made where there is none.
pub(super) fn missing() -> Error {
    Error::unprocessable(ErrorCode::OtpDisabled, "Signups not allowed for otp")
}

/// What is no address has no account.
pub(super) fn or_missing(create_user: bool, refusal: Refusal) -> Error {
    if create_user {
        refusal.into()
    } else {
        missing()
    }
}

/// Whose address this is.
async fn find(state: &State, call: &Call, email: &str) -> Result<Option<User>, Error> {
    let client = state.client().await?;
    db::users::by_email(&client, email, &call.audience(&state.config, None))
        .await
        .map_err(Error::saying("Database error finding user"))
}

fn account(wanted: &Wanted) -> NewAccount {
    NewAccount {
        email: wanted.email.clone(),
        data: wanted.data.clone(),
        challenge: wanted.challenge.clone(),
        ..NewAccount::default()
    }
}

async fn send_to(state: &State, call: &Call, user: &User, wanted: &Wanted) -> Result<(), Error> {
    let event = Entry::new(user, Action::UserRecoveryRequested);
    let (challenge, nothing) = (&wanted.challenge, Document::default());
    let letter = Letter::begin(state, call, Purpose::MagicLink, challenge.flow()).await?;
    letter
        .saying(wanted.data.as_ref().unwrap_or(&nothing))
        .send_to(user, Some(&event), async |tx| {
            let now = state.clock.now();
            pkce::start(tx, user.id, AuthMethod::MagicLink, challenge, now).await
        })
        .await
}
