//! `POST /signup`. Mirrors `internal/api/signup.go` and `anonymous.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, post};
use serde::Deserialize;

use crate::accounts::pkce::Challenge;
use crate::accounts::sign_up::sign_up_anonymously;
use crate::accounts::{NewAccount, SignUpOutcome, metadata, sign_up};
use crate::call::Call;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json::{self, Document};
use crate::limits::Bucket;
use crate::routes::resource;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SignUpBody {
    email: String,
    phone: String,
    password: String,
    data: Option<Document>,
    channel: String,
    code_challenge_method: String,
    code_challenge: String,
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/signup", "/signup/"], || [post(post_signup)]);
}

/// Public.
async fn post_signup(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    let body: SignUpBody = call.json()?;
    metadata::check_new(body.data.as_ref())?;
    let outcome = if body.email.is_empty() && body.phone.is_empty() {
        if !state.config.external.anonymous_users {
            return Err(Error::unprocessable(
                ErrorCode::AnonymousProviderDisabled,
                "Anonymous sign-ins are disabled",
            ));
        }
        state.limits.check(Bucket::Anonymous, &call)?;
        sign_up_anonymously(&state, &call, body.data.unwrap_or_default()).await?
    } else {
        state.limits.check(Bucket::Signups, &call)?;
        sign_up(&state, &call, body.into()).await?
    };
    Ok(match outcome {
        SignUpOutcome::SignedIn(user, issued) => issued.respond(&user),
        SignUpOutcome::Pending(user) => json::respond(StatusCode::OK, &user),
    })
}

impl From<SignUpBody> for NewAccount {
    fn from(body: SignUpBody) -> Self {
        Self {
            email: body.email,
            phone: body.phone,
            password: Some(body.password),
            data: body.data,
            channel: body.channel,
            challenge: Challenge {
                method: body.code_challenge_method,
                challenge: body.code_challenge,
            },
        }
    }
}
