//! `grant_type=password`. Mirrors `ResourceOwnerPasswordGrant` of `internal/api/token.go`.

use actix_web::HttpResponse;
use serde::Deserialize;

use crate::accounts::{policy, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::db;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::sessions::{self, AuthMethod, Grant, PasswordVerdict};
use crate::state::State;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PasswordBody {
    email: String,
    phone: String,
    password: String,
}

/// Signs a user in by password.
pub(super) async fn grant(state: &State, call: &Call) -> Result<HttpResponse, Error> {
    let body: PasswordBody = call.json()?;
    let by_email = !body.email.is_empty();
    let found = find(state, call, &body).await?;
    let mut user = check_password(state, call, found, &body.password).await?;
    let verdict = judge(state, &body.password);
    if by_email && !user.is_confirmed() {
        return Err(Error::bad_request(
            ErrorCode::EmailNotConfirmed,
            "Email not confirmed",
        ));
    }
    if !by_email && !user.is_phone_confirmed() {
        return Err(Error::bad_request(
            ErrorCode::PhoneNotConfirmed,
            "Phone not confirmed",
        ));
    }
    let provider = if by_email { "email" } else { "phone" };
    let entry = Entry::new(&user, Action::Login).trait_("provider", provider);
    let client = state.client().await?;
    let grant = Grant::audited(entry);
    let mut issued =
        sessions::issue(state, &client, call, &mut user, AuthMethod::Password, grant).await?;
    issued.password = verdict;
    Ok(issued.respond(&user))
}

fn wrong() -> Error {
    Error::bad_request(ErrorCode::InvalidCredentials, "Invalid login credentials")
}

async fn find(state: &State, call: &Call, body: &PasswordBody) -> Result<Option<User>, Error> {
    let config = &state.config;
    let refuse = |text: &'static str| Err(Error::invalid(text));
    let aud = call.audience(config, None);
    let found = match (body.email.as_str(), body.phone.as_str()) {
        ("", "") => return refuse("missing email or phone"),
        (email, "") => {
            if !config.external.email {
                return Err(Error::unprocessable(
                    ErrorCode::EmailProviderDisabled,
                    "Email logins are disabled",
                ));
            }
            db::users::by_email(&state.client().await?, email, &aud).await
        }
        ("", phone) => {
            if !config.external.phone {
                return Err(Error::unprocessable(
                    ErrorCode::PhoneProviderDisabled,
                    "Phone logins are disabled",
                ));
            }
            let phone = validate::format_phone(phone);
            db::users::by_phone(&state.client().await?, &phone, &aud).await
        }
        _ => {
            return refuse("Only an email address or phone number should be provided on login.");
        }
    };
    found.map_err(Error::saying("Database error querying schema"))
}

/// The user, if the password is theirs. No connection is held while it is hashed.
///
/// Upstream: answers faster where there is no such account, or none with a password.
async fn check_password(
    state: &State,
    call: &Call,
    found: Option<User>,
    password: &str,
) -> Result<User, Error> {
    let origin = state.limits.origin(call);
    let Some(user) = found.filter(User::has_password) else {
        state.passwords.verify_nothing(&origin, password).await?;
        return Err(wrong());
    };
    let hash = user.encrypted_password.as_deref().unwrap_or_default();
    let passwords = &state.passwords;
    if !passwords.verify(&origin, password, hash, user.id).await? {
        return Err(wrong());
    }
    // Upstream: tells anybody who was banned, whatever the password.
    if user.is_banned(state.clock.now()) {
        return Err(Error::bad_request(ErrorCode::UserBanned, "User is banned"));
    }
    Ok(user)
}

/// A password that the policy would refuse today still signs in, but the client is told.
fn judge(state: &State, password: &str) -> PasswordVerdict {
    match policy::check(&state.config.password, password) {
        Err(Error::WeakPassword { message, reasons }) => PasswordVerdict::Weak { message, reasons },
        _ => PasswordVerdict::Strong,
    }
}
