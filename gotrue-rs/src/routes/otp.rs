//! `POST /otp`: a code by mail or message. Mirrors upstream's `otp.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, post};
use platform::pg::Tx;
use serde::Deserialize;

use super::magiclink::{self, Wanted};
use crate::accounts::change::record;
use crate::accounts::phone::{self, Purpose};
use crate::accounts::pkce::Challenge;
use crate::accounts::{self, NewAccount, metadata, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::is_backend;
use crate::db;
use crate::db::code_data::{self, Token};
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json::{self, Document};
use crate::limits::{Asked, Bucket};
use crate::refusal::Refusal;
use crate::routes::{MessageBody, resource};
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OtpBody {
    email: String,
    phone: String,
    create_user: Option<bool>,
    data: Option<Document>,
    channel: String,
    code_challenge_method: String,
    code_challenge: String,
}

impl OtpBody {
    // Upstream: `null` leaves the default, as a missing key does.
    fn creates_user(&self) -> bool {
        self.create_user.unwrap_or(true)
    }
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/otp"], || [post(send_otp)]);
}

/// Public.
async fn send_otp(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::Otp, &call)?;
    let body: OtpBody = call.json()?;
    let refuse = |text: &'static str| Error::invalid(text);
    if !body.email.is_empty() && !body.phone.is_empty() {
        return Err(refuse(
            "Only an email address or phone number should be provided",
        ));
    }
    if !body.email.is_empty() && !body.channel.is_empty() {
        return Err(refuse("Channel should only be specified with Phone OTP"));
    }
    let challenge = Challenge {
        method: body.code_challenge_method.clone(),
        challenge: body.code_challenge.clone(),
    };
    challenge.validate()?;
    if !body.creates_user() {
        check_telling(&state, &call)?;
    }
    if !body.email.is_empty() {
        let wanted = Wanted {
            create_user: body.creates_user(),
            email: body.email,
            data: body.data,
            challenge,
        };
        return magiclink::send(&state, &call, wanted).await;
    }
    if !body.phone.is_empty() {
        return send_to_phone(&state, &call, body).await;
    }
    Err(refuse("One of email or phone must be set"))
}

/// Counts a request whose answer by its nature tells who has an account, as nothing else here
/// does, wherever it comes from.
fn check_telling(state: &State, call: &Call) -> Result<(), Refusal> {
    if is_backend(state, call) {
        return Ok(());
    }
    state.limits.check_unnamed(Bucket::Otp, call)
}

async fn send_to_phone(
    state: &State,
    call: &Call,
    mut body: OtpBody,
) -> Result<HttpResponse, Error> {
    if !state.config.external.phone {
        return Err(Error::bad_request(
            ErrorCode::PhoneProviderDisabled,
            "Unsupported phone provider",
        ));
    }
    if body.channel.is_empty() {
        "sms".clone_into(&mut body.channel);
    }
    let number = validate::phone(&body.phone);
    body.phone = number.map_err(|error| magiclink::or_missing(body.creates_user(), error))?;
    validate::channel(&state.config.sms, &body.channel)?;
    metadata::check_new(body.data.as_ref())?;
    let note = state.asked.note(Asked::Message, &body.phone)?;
    note.unless_refused(deliver(state, call, &body).await)?;
    let message_id = phone::MESSAGE_ID;
    Ok(json::respond(StatusCode::OK, &MessageBody { message_id }))
}

async fn deliver(state: &State, call: &Call, body: &OtpBody) -> Result<(), Error> {
    let mut user = find(state, call, &body.phone).await?;
    if user.is_none() && !body.creates_user() {
        return Err(magiclink::missing());
    }
    if user.is_none() && accounts::check_open(state).is_ok() {
        if accounts::open(state, call, account(body)).await? && !state.config.sms.autoconfirm {
            return Ok(());
        }
        user = find(state, call, &body.phone).await?;
    }
    phone::code(state, &body.phone)?;
    let Some(user) = user else {
        // Upstream: says so, and thereby who has an account.
        return Ok(());
    };
    let (purpose, sent_at) = if user.is_phone_confirmed() {
        (Purpose::Confirmation, user.confirmation_sent_at)
    } else {
        (Purpose::SignIn, user.recovery_sent_at)
    };
    if phone::is_too_soon(state, sent_at) {
        return Ok(());
    }
    let entry =
        Entry::new(&user, Action::UserRecoveryRequested).trait_("channel", body.channel.as_str());
    state
        .db
        .transaction("otp", async |tx| {
            record(state, tx, &entry).await?;
            let mut user = user.clone();
            phone::send(state, tx, &mut user, &body.phone, purpose).await?;
            if purpose == Purpose::SignIn {
                keep_data(state, tx, &user, body.data.as_ref()).await?;
            }
            Ok::<_, Error>(())
        })
        .await
}

/// Keeps what is said about whom a code is for, until that code is redeemed.
async fn keep_data(
    state: &State,
    tx: &Tx<'_>,
    user: &User,
    data: Option<&Document>,
) -> Result<(), Error> {
    if !db::users::reload(tx, user.id).await?.is_unproved() {
        return Ok(());
    }
    let token = Token {
        user_id: user.id,
        stored: &user.recovery_token,
    };
    // A message is never taken back, so no code before this one becomes good again.
    let (nothing, now) = (Document::default(), state.clock.now());
    let data = data.unwrap_or(&nothing);
    Ok(code_data::insert(tx, token, token.stored, data, now).await?)
}

async fn find(state: &State, call: &Call, phone: &str) -> Result<Option<User>, Error> {
    let client = state.client().await?;
    db::users::by_phone(&client, phone, &call.audience(&state.config, None))
        .await
        .map_err(Error::saying("Database error finding user"))
}

fn account(body: &OtpBody) -> NewAccount {
    NewAccount {
        phone: body.phone.clone(),
        data: body.data.clone(),
        channel: body.channel.clone(),
        ..NewAccount::default()
    }
}
