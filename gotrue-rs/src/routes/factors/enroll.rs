//! `POST /factors`: a new second factor.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::pg::Tx;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::{Step, disabled};
use crate::accounts::change::record;
use crate::accounts::totp;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Named;
use crate::db;
use crate::db::factors::Factor;
use crate::db::mfa::NewTotp;
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EnrollBody {
    friendly_name: String,
    factor_type: String,
    issuer: String,
    phone: String,
}

#[derive(Serialize)]
struct EnrolledBody<'a> {
    id: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    friendly_name: &'a str,
    totp: TotpBody<'a>,
}

#[derive(Serialize)]
struct TotpBody<'a> {
    qr_code: &'a str,
    secret: &'a str,
    uri: &'a str,
}

/// Enrolls an authenticator app for the caller.
pub(super) async fn post_factor(
    state: Serving,
    caller: Named,
    call: Call,
) -> Result<HttpResponse, Error> {
    let Some(session) = &caller.session else {
        return Err(Error::internal(
            "A valid session and a registered user are required to enroll a factor",
        ));
    };
    let body: EnrollBody = call.json()?;
    match body.factor_type.as_str() {
        "totp" if state.config.mfa.totp_enroll => {}
        "totp" | "phone" | "webauthn" => return Err(disabled(&body.factor_type, Step::Enroll)),
        _ => {
            return Err(Error::invalid(
                "factor_type needs to be totp, phone, or webauthn",
            ));
        }
    }
    let user = &caller.user;
    let issuer = issuer(&state, &body.issuer)?;
    let failed = || Error::internal("Error generating QR Code");
    if user.email.is_empty() {
        return Err(failed());
    }
    let secret = totp::new_secret();
    let uri = totp::uri(&issuer, &user.email, &secret);
    let qr_code = totp::qr_code(&uri).ok_or_else(failed)?;
    let factor = NewTotp {
        id: Uuid::new_v4(),
        user_id: user.id,
        friendly_name: &body.friendly_name,
        secret: &secret,
    };
    let entry = Entry::new(user, Action::FactorInProgress)
        .seen_from(call.client_ip.as_deref())
        .trait_("factor_id", factor.id.to_string());
    let store = async |tx: &Tx<'_>| -> Result<(), Error> {
        check_room(&state, tx, user, session, &body.friendly_name).await?;
        db::mfa::insert_totp(tx, &factor, state.clock.now()).await?;
        record(&state, tx, &entry).await
    };
    state.db.transaction("enroll_factor", store).await?;
    let totp = TotpBody {
        qr_code: &qr_code,
        secret: &secret,
        uri: &uri,
    };
    let friendly_name = &body.friendly_name;
    let enrolled = EnrolledBody {
        id: factor.id,
        kind: "totp",
        friendly_name,
        totp,
    };
    Ok(json::respond(StatusCode::OK, &enrolled))
}

/// Whether the user may have one more factor of this name. Enrolments of one user take turns,
/// so that none slips in between.
async fn check_room(
    state: &State,
    tx: &Tx<'_>,
    user: &User,
    session: &Session,
    name: &str,
) -> Result<(), Error> {
    let mfa = &state.config.mfa;
    let now = state.clock.now();
    db::users::lock(tx, user.id).await?;
    db::mfa::delete_expired(tx, mfa.factor_life, now).await?;
    let factors = match db::users::by_id(tx, user.id).await? {
        Some(user) => user.factors,
        None => Vec::new(),
    };
    // Two factors without a name count as having the same one.
    if factors.iter().any(|factor| factor.friendly_name == name) {
        return Err(Error::unprocessable(
            ErrorCode::MfaFactorNameConflict,
            format!("A factor with the friendly name {name:?} for this user already exists"),
        ));
    }
    let verified = factors
        .iter()
        .filter(|factor| Factor::is_verified(factor))
        .count();
    if factors.len() >= mfa.max_enrolled || verified >= mfa.max_verified {
        return Err(Error::unprocessable(
            ErrorCode::TooManyEnrolledMfaFactors,
            "Maximum number of verified factors reached, unenroll to continue",
        ));
    }
    if verified > 0 && !session.is_aal2() {
        return Err(Error::forbidden(
            ErrorCode::InsufficientAal,
            "AAL2 required to enroll a new factor",
        ));
    }
    Ok(())
}

/// Whose codes the app shows: what the client says, else the site's host.
fn issuer(state: &State, wanted: &str) -> Result<String, Error> {
    if !wanted.is_empty() {
        return Ok(wanted.to_owned());
    }
    let malformed = || Error::internal("site url is improperly formatted");
    let url = Url::parse(state.config.redirects.site_url()).map_err(|_| malformed())?;
    let host = url.host_str().ok_or_else(malformed)?;
    Ok(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}
