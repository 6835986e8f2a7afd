//! What HTTP makes of a refusal.

use std::time::Duration;

use actix_web::http::StatusCode;

use super::{Error, ErrorCode};
use crate::refusal::{RefreshRefusal, Refusal, Sent};

/// When a mail server that is busy may be tried again.
const BUSY: Duration = Duration::from_secs(10);

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = answer(&refusal);
        let error = Self::status(status, Some(code), refusal.to_string());
        match wait(&refusal) {
            Some(wait) => error.retry_after(wait),
            None => error,
        }
    }
}

fn answer(refusal: &Refusal) -> (StatusCode, ErrorCode) {
    use Refusal as R;
    const BAD: StatusCode = StatusCode::BAD_REQUEST;
    const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;
    const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
    const TOO_MANY: StatusCode = StatusCode::TOO_MANY_REQUESTS;
    match refusal {
        R::Invalid(_) => (BAD, ErrorCode::ValidationFailed),
        R::SignupsClosed => (UNPROCESSABLE, ErrorCode::SignupDisabled),
        R::EmailSignupsClosed => (BAD, ErrorCode::EmailProviderDisabled),
        R::PhoneSignupsClosed => (BAD, ErrorCode::PhoneProviderDisabled),
        R::AlreadyRegistered => (UNPROCESSABLE, ErrorCode::UserAlreadyExists),
        R::Verifier(_) => (BAD, ErrorCode::BadCodeVerifier),
        R::NoToken => (StatusCode::UNAUTHORIZED, ErrorCode::NoAuthorization),
        R::Token(_) | R::Claim(_) => (FORBIDDEN, ErrorCode::BadJwt),
        R::Subject => (BAD, ErrorCode::BadJwt),
        R::UserGone => (FORBIDDEN, ErrorCode::UserNotFound),
        R::SessionGone => (FORBIDDEN, ErrorCode::SessionNotFound),
        R::SessionLapsed => (FORBIDDEN, ErrorCode::SessionExpired),
        R::Banned => (FORBIDDEN, ErrorCode::UserBanned),
        R::NotAdmin => (FORBIDDEN, ErrorCode::NotAdmin),
        R::Nameless => (FORBIDDEN, ErrorCode::NoAuthorization),
        R::Refresh(refusal) => (BAD, of_refresh(*refusal)),
        R::RefreshCrowd => (StatusCode::CONFLICT, ErrorCode::Conflict),
        R::TooOften(_) => (TOO_MANY, ErrorCode::OverRequestRateLimit),
        R::TooSoon {
            what: Sent::Message,
            ..
        } => (TOO_MANY, ErrorCode::OverSmsSendRateLimit),
        R::TooSoon { .. } | R::TooManyMails(_) => (TOO_MANY, ErrorCode::OverEmailSendRateLimit),
        R::MailBusy => (
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::UnexpectedFailure,
        ),
        R::NotAuthorized(_) => (BAD, ErrorCode::EmailAddressNotAuthorized),
        R::Undeliverable(_) => (BAD, ErrorCode::EmailAddressInvalid),
    }
}

fn of_refresh(refusal: RefreshRefusal) -> ErrorCode {
    match refusal {
        RefreshRefusal::Unknown => ErrorCode::RefreshTokenNotFound,
        RefreshRefusal::Used => ErrorCode::RefreshTokenAlreadyUsed,
        RefreshRefusal::Foreign => ErrorCode::ValidationFailed,
        RefreshRefusal::Banned => ErrorCode::UserBanned,
        RefreshRefusal::NoSession => ErrorCode::SessionNotFound,
        RefreshRefusal::Expired(_) => ErrorCode::SessionExpired,
    }
}

/// How long the client had better wait.
fn wait(refusal: &Refusal) -> Option<Duration> {
    match refusal {
        Refusal::TooOften(wait) | Refusal::TooManyMails(wait) | Refusal::TooSoon { wait, .. } => {
            Some(*wait)
        }
        Refusal::MailBusy => Some(BUSY),
        _ => None,
    }
}
