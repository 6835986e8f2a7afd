//! `GET /reauthenticate`: a code that proves who is sitting there. Mirrors upstream's
//! `reauthenticate.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, get};

use crate::accounts::change::record;
use crate::accounts::phone::{self, Purpose};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Caller;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::mail::{self, Letter};
use crate::otp::Flow;
use crate::routes::{MessageBody, resource};

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Caller, _>(cfg, &["/reauthenticate", "/reauthenticate/"], || {
        [get(reauthenticate)]
    });
}

/// For signed-in users.
async fn reauthenticate(state: Serving, caller: Caller, call: Call) -> Result<HttpResponse, Error> {
    let user = caller.user;
    check_reachable(&user)?;
    let entry = Entry::new(&user, Action::UserReauthenticateRequested);
    if user.email.is_empty() {
        let message_id = state
            .db
            .transaction("reauthenticate", async |tx| {
                record(&state, tx, &entry).await?;
                let purpose = Purpose::Reauthentication;
                phone::send(&state, tx, &mut user.clone(), &user.phone, purpose).await
            })
            .await?;
        return Ok(json::respond(
            StatusCode::OK,
            &MessageBody {
                message_id: &message_id,
            },
        ));
    }
    mail::admit(&state, &call, mail::Asker::User, &[&user.email])?;
    let purpose = mail::Purpose::Reauthentication;
    let letter = Letter::begin(&state, &call, purpose, Flow::Implicit).await?;
    letter
        .send_to(&user, Some(&entry), async |_| Ok(()))
        .await?;
    Ok(json::empty_object())
}

/// The code goes to the address or, without one, to the phone; it must be confirmed.
fn check_reachable(user: &User) -> Result<(), Error> {
    if user.email.is_empty() && user.phone.is_empty() {
        return Err(Error::invalid(
            "Reauthentication requires the user to have an email or a phone number",
        ));
    }
    if !user.email.is_empty() {
        if !user.is_confirmed() {
            return Err(Error::unprocessable(
                ErrorCode::EmailNotConfirmed,
                "Please verify your email first.",
            ));
        }
    } else if !user.is_phone_confirmed() {
        return Err(Error::unprocessable(
            ErrorCode::PhoneNotConfirmed,
            "Please verify your phone first.",
        ));
    }
    Ok(())
}
