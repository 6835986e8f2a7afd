//! `POST /factors/{id}/verify`: the answer to a challenge.

use actix_web::{HttpResponse, web};
use jiff::SignedDuration;
use platform::pg::Tx;
use serde::Deserialize;
use uuid::Uuid;

use super::{Step, disabled, factor_of};
use crate::accounts::change::record;
use crate::accounts::totp;
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::{Caller, Named};
use crate::db;
use crate::db::factors::Factor;
use crate::db::mfa::Challenge;
use crate::error::{Error, ErrorCode};
use crate::extract::Serving;
use crate::limits::Bucket;
use crate::mail::{self, Notice};
use crate::otp::MOST_TRIES;
use crate::refusal::Refusal;
use crate::sessions;
use crate::state::State;

/// How long wrong codes of a factor are remembered.
const TRIES_WINDOW: SignedDuration = SignedDuration::from_mins(15);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VerifyBody {
    challenge_id: Uuid,
    code: String,
}

/// Verifies a code; the session rises to `aal2`.
pub(super) async fn post_verification(
    state: Serving,
    caller: Named,
    call: Call,
    factor_id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let factor = factor_of(&caller, &factor_id)?;
    state.limits.check(Bucket::FactorVerify, &call)?;
    let body: VerifyBody = call.json()?;
    if body.code.is_empty() && factor.factor_type != "webauthn" {
        return Err(Error::invalid("Code needs to be non-empty"));
    }
    if factor.factor_type != "totp" || !state.config.mfa.totp_verify {
        return Err(disabled(&factor.factor_type, Step::Verify));
    }
    let challenge = open_challenge(&state, &call, factor, body.challenge_id).await?;
    count_try(&state, factor).await?;
    if !totp::is_valid(&body.code, &challenge.secret, state.clock.now()) {
        return Err(Error::unprocessable(
            ErrorCode::MfaVerificationFailed,
            "Invalid TOTP code entered",
        ));
    }
    raise(&state, &call, &caller, factor, &challenge).await
}

/// An authenticator app shows a new code every half a minute, so tries are counted over a while.
///
/// Upstream: as often as the rate limits let one client ask.
async fn count_try(state: &State, factor: &Factor) -> Result<(), Error> {
    let client = state.client().await?;
    let now = state.clock.now();
    let tries = db::code_tries::count_in_window(&client, factor.id, TRIES_WINDOW, now).await?;
    if tries <= MOST_TRIES {
        return Ok(());
    }
    Err(Refusal::TooOften(TRIES_WINDOW.unsigned_abs()).into())
}

/// The challenge, if it is still open and is answered from where it was asked for.
async fn open_challenge(
    state: &State,
    call: &Call,
    factor: &Factor,
    id: Uuid,
) -> Result<Challenge, Error> {
    let client = state.client().await?;
    let found = db::mfa::challenge(&client, id, factor.id)
        .await
        .map_err(Error::saying("Database error finding Challenge"))?;
    let challenge = found.ok_or_else(|| {
        Error::unprocessable(
            ErrorCode::MfaFactorNotFound,
            "MFA factor with the provided challenge ID not found",
        )
    })?;
    let ip = call.client_ip.as_deref().unwrap_or("0.0.0.0");
    if challenge.verified_at.is_some() || challenge.ip != ip {
        return Err(elsewhere());
    }
    let age = state.clock.now().duration_since(challenge.created_at);
    if age > state.config.mfa.challenge_life {
        db::mfa::delete_challenge(&client, challenge.id).await?;
        return Err(Error::unprocessable(
            ErrorCode::MfaChallengeExpired,
            format!(
                "MFA challenge {id} has expired, verify against another challenge or create a \
                 new challenge."
            ),
        ));
    }
    Ok(challenge)
}

fn elsewhere() -> Error {
    Error::unprocessable(
        ErrorCode::MfaIpAddressMismatch,
        "Challenge and verify IP addresses mismatch.",
    )
}

async fn raise(
    state: &State,
    call: &Call,
    caller: &Caller,
    factor: &Factor,
    challenge: &Challenge,
) -> Result<HttpResponse, Error> {
    let session = caller
        .session
        .as_ref()
        .ok_or_else(|| Error::internal("Cannot read SessionId claim as UUID"))?;
    let entry = Entry::new(&caller.user, Action::VerificationAttempted)
        .seen_from(call.client_ip.as_deref())
        .trait_("factor_id", factor.id.to_string())
        .trait_("challenge_id", challenge.id.to_string())
        .trait_("factor_type", factor.factor_type.as_str());
    let pass = async |tx: &Tx<'_>| -> Result<_, Error> {
        record(state, tx, &entry).await?;
        // Upstream: two answers to one challenge at the same time both count.
        if !db::mfa::pass(tx, challenge.id, factor.id, state.clock.now()).await? {
            return Err(elsewhere());
        }
        db::code_tries::forget(tx, factor.id).await?;
        let user = db::users::by_id(tx, caller.user.id).await?;
        let user = user.ok_or_else(|| Error::Unexpected("user not found".into()))?;
        let raised = sessions::raise(state, tx, &user, session, factor).await?;
        if raised.is_rotated {
            record(state, tx, &Entry::new(&user, Action::TokenRevoked)).await?;
        }
        Ok((user, raised.issued))
    };
    let (user, issued) = state.db.transaction("verify_factor", pass).await?;
    if !factor.is_verified() {
        let notice = Notice::FactorEnrolled {
            factor_type: &factor.factor_type,
        };
        mail::notify(state, &user, notice).await;
    }
    Ok(issued.respond(&user))
}
