//! `POST /recover`: a mail to choose a new password. Mirrors upstream's `recover.go`.

use actix_web::HttpResponse;
use platform::http::mount::{Mount, post};
use serde::Deserialize;

use crate::accounts::pkce::{self, Challenge};
use crate::accounts::validate;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json;
use crate::limits::{Asked, Bucket};
use crate::mail::{self, Asker, Letter, Purpose};
use crate::routes::resource;
use crate::sessions::AuthMethod;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RecoverBody {
    email: String,
    code_challenge: String,
    code_challenge_method: String,
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/recover"], || [post(recover_password)]);
}

/// Public: whether an address has an account shows only in whether it gets a mail.
async fn recover_password(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::Recover, &call)?;
    if !state.config.external.email {
        return Err(Error::bad_request(
            ErrorCode::EmailProviderDisabled,
            "Email logins are disabled",
        ));
    }
    let body: RecoverBody = call.json()?;
    if body.email.is_empty() {
        return Err(Error::invalid("Password recovery requires an email"));
    }
    let email = validate::email(&body.email)?;
    let challenge = Challenge {
        method: body.code_challenge_method,
        challenge: body.code_challenge,
    };
    challenge.validate()?;
    let note = state.asked.note(Asked::Link, &email)?;
    note.unless_refused(mail::admit(&state, &call, Asker::Anybody, &[&email]))?;
    note.unless_refused(send_recovery(&state, &call, &email, &challenge).await)?;
    Ok(json::empty_object())
}

async fn send_recovery(
    state: &State,
    call: &Call,
    email: &str,
    challenge: &Challenge,
) -> Result<(), Error> {
    mail::reserve(state, call).await?;
    let client = state.client().await?;
    let user = db::users::by_email(&client, email, &call.audience(&state.config, None))
        .await
        .map_err(Error::saying("Unable to process request"))?;
    let user = user.filter(|user| !mail::is_too_soon(state, user.recovery_sent_at));
    let Some(user) = user else { return Ok(()) };
    drop(client);
    let event = Entry::new(&user, Action::UserRecoveryRequested);
    let letter = Letter::begin(state, call, Purpose::Recovery, challenge.flow()).await?;
    letter
        .send_to(&user, Some(&event), async |tx| {
            let now = state.clock.now();
            pkce::start(tx, user.id, AuthMethod::Recovery, challenge, now).await
        })
        .await
}
