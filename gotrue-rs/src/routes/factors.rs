//! `/factors`: second factors. Mirrors `internal/api/mfa.go` for authenticator apps; the other
//! kinds answer as switched off.

mod enroll;
mod verify;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, delete, post};
use platform::pg::Tx;
use serde::Serialize;
use uuid::Uuid;

use crate::accounts::change::record;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::{Caller, Named};
use crate::db;
use crate::db::factors::Factor;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::json;
use crate::limits::Bucket;
use crate::mail::{self, Notice};
use crate::routes::resource;
use crate::sessions::AuthMethod;

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Named, _>(cfg, &["/factors", "/factors/"], || {
        [post(enroll::post_factor)]
    });
    resource::<Named, _>(
        cfg,
        &["/factors/{factor_id}", "/factors/{factor_id}/"],
        || [delete(delete_factor)],
    );
    resource::<Named, _>(cfg, &["/factors/{factor_id}/challenge"], || {
        [post(post_challenge)]
    });
    resource::<Named, _>(cfg, &["/factors/{factor_id}/verify"], || {
        [post(verify::post_verification)]
    });
}

/// What was switched off, in the words of one kind of factor.
fn disabled(kind: &str, step: Step) -> Error {
    let (code, name) = match (kind, step) {
        ("phone", Step::Enroll) => (ErrorCode::MfaPhoneEnrollNotEnabled, "Phone"),
        ("phone", _) => (ErrorCode::MfaPhoneVerifyNotEnabled, "Phone"),
        ("webauthn", Step::Challenge) => (ErrorCode::MfaWebauthnVerifyNotEnabled, "WebAuthn"),
        ("webauthn", _) => (ErrorCode::MfaWebauthnEnrollNotEnabled, "WebAuthn"),
        (_, Step::Enroll) => (ErrorCode::MfaTotpEnrollNotEnabled, "TOTP"),
        (_, _) => (ErrorCode::MfaTotpVerifyNotEnabled, "TOTP"),
    };
    let what = if step == Step::Enroll {
        "MFA enroll"
    } else {
        "MFA verification"
    };
    Error::unprocessable(code, format!("{what} is disabled for {name}"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Enroll,
    Challenge,
    Verify,
}

/// A factor of the caller's own.
fn factor_of<'c>(caller: &'c Caller, id: &str) -> Result<&'c Factor, Error> {
    let id = Uuid::parse_str(id)
        .map_err(|_| Error::not_found(ErrorCode::ValidationFailed, "factor_id must be an UUID"))?;
    let factors = &caller.user.factors;
    factors
        .iter()
        .find(|factor| factor.id == id)
        .ok_or_else(|| Error::not_found(ErrorCode::MfaFactorNotFound, "Factor not found"))
}

#[derive(Serialize)]
struct ChallengeBody<'a> {
    id: Uuid,
    #[serde(rename = "type")]
    kind: &'a str,
    expires_at: i64,
}

/// Asks for a code.
async fn post_challenge(
    state: Serving,
    caller: Named,
    call: Call,
    factor_id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let factor = factor_of(&caller, &factor_id)?;
    state.limits.check(Bucket::FactorChallenge, &call)?;
    if factor.factor_type != "totp" || !state.config.mfa.totp_verify {
        return Err(disabled(&factor.factor_type, Step::Challenge));
    }
    let (id, now) = (Uuid::new_v4(), state.clock.now());
    let ip = call.client_ip.as_deref().unwrap_or("0.0.0.0");
    let entry = Entry::new(&caller.user, Action::ChallengeCreated)
        .seen_from(call.client_ip.as_deref())
        .trait_("factor_id", factor.id.to_string())
        .trait_("factor_status", factor.status.as_str());
    let create = async |tx: &Tx<'_>| -> Result<(), Error> {
        db::mfa::insert_challenge(tx, id, factor.id, ip, now).await?;
        record(&state, tx, &entry).await
    };
    state.db.transaction("challenge_factor", create).await?;
    let expires_at = now
        .checked_add(state.config.mfa.challenge_life)
        .unwrap_or(now);
    Ok(json::respond(
        StatusCode::OK,
        &ChallengeBody {
            id,
            kind: &factor.factor_type,
            expires_at: expires_at.as_second(),
        },
    ))
}

#[derive(Serialize)]
struct RemovedBody {
    id: Uuid,
}

/// Removes a factor; a verified one only from a session it raised.
async fn delete_factor(
    state: Serving,
    caller: Named,
    call: Call,
    factor_id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let factor = factor_of(&caller, &factor_id)?;
    let Some(session) = &caller.session else {
        return Err(Error::internal(
            "A valid session and factor are required to unenroll a factor",
        ));
    };
    if factor.is_verified() && !session.is_aal2() {
        return Err(Error::unprocessable(
            ErrorCode::InsufficientAal,
            "AAL2 required to unenroll verified factor",
        ));
    }
    let entry = Entry::new(&caller.user, Action::FactorUnenrolled)
        .seen_from(call.client_ip.as_deref())
        .trait_("factor_id", factor.id.to_string())
        .trait_("factor_status", factor.status.as_str())
        .trait_("session_id", session.id.to_string());
    let method = AuthMethod::of_factor(&factor.factor_type);
    let remove = async |tx: &Tx<'_>| -> Result<(), Error> {
        let now = state.clock.now();
        db::mfa::unenroll(tx, factor.id, caller.user.id, method.as_str(), now).await?;
        record(&state, tx, &entry).await
    };
    state.db.transaction("unenroll_factor", remove).await?;
    let notice = Notice::FactorUnenrolled {
        factor_type: &factor.factor_type,
    };
    mail::notify(&state, &caller.user, notice).await;
    Ok(json::respond(
        StatusCode::OK,
        &RemovedBody { id: factor.id },
    ))
}
