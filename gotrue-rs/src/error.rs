//! What this service answers when it cannot do what was asked.
//!
//! One type for the whole service. `Display` is the public text; causes travel only as
//! `#[source]` and reach the log. Mirrors upstream's `internal/api/errors.go` and `apierrors`.

mod answer;
mod code;
mod database;
mod outage;
mod render;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use platform::http::body::{self, BodyError};
use platform::pg::{DbError, RetryHint};

pub(crate) use code::ErrorCode;
pub(crate) use database::EMAIL_EXISTS;
pub(crate) use render::{ApiVersion, render};

use crate::json::Unreadable;

/// A public text: fixed for most errors, built for some.
pub(crate) type Message = Cow<'static, str>;

type Source = Box<dyn StdError + Send + Sync>;

/// Everything a handler can fail with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The usual kind: a status, a code for programs, a sentence for people.
    #[error("{message}")]
    Http {
        status: StatusCode,
        code: Option<ErrorCode>,
        message: Message,
        #[source]
        source: Option<Source>,
        headers: Vec<(&'static str, String)>,
    },
    /// The shape RFC 6749 prescribes for token endpoints; always answered with 400.
    #[error("{error}")]
    Oauth {
        error: Message,
        description: Option<Message>,
    },
    /// A password that breaks the policy, with the rules it breaks.
    #[error("{message}")]
    WeakPassword {
        message: String,
        reasons: Vec<&'static str>,
    },
    /// A failure nobody prepared a text for.
    #[error("Unexpected failure, please check server logs for more information")]
    Unexpected(#[source] Source),
}

impl Error {
    /// An answer with this status, code and text.
    pub(crate) fn status(
        status: StatusCode,
        code: Option<ErrorCode>,
        message: impl Into<Message>,
    ) -> Self {
        Self::Http {
            status,
            code,
            message: message.into(),
            source: None,
            headers: Vec::new(),
        }
    }

    /// 400.
    pub(crate) fn bad_request(code: ErrorCode, message: impl Into<Message>) -> Self {
        Self::status(StatusCode::BAD_REQUEST, Some(code), message)
    }

    /// 400, for what the client said cannot be.
    pub(crate) fn invalid(message: impl Into<Message>) -> Self {
        Self::bad_request(ErrorCode::ValidationFailed, message)
    }

    /// 401.
    pub(crate) fn unauthorized(code: ErrorCode, message: impl Into<Message>) -> Self {
        Self::status(StatusCode::UNAUTHORIZED, Some(code), message)
    }

    /// 403.
    pub(crate) fn forbidden(code: ErrorCode, message: impl Into<Message>) -> Self {
        Self::status(StatusCode::FORBIDDEN, Some(code), message)
    }

    /// 404.
    pub(crate) fn not_found(code: ErrorCode, message: impl Into<Message>) -> Self {
        Self::status(StatusCode::NOT_FOUND, Some(code), message)
    }

    /// 409.
    pub(crate) fn conflict(message: impl Into<Message>) -> Self {
        Self::status(StatusCode::CONFLICT, Some(ErrorCode::Conflict), message)
    }

    /// 422.
    pub(crate) fn unprocessable(code: ErrorCode, message: impl Into<Message>) -> Self {
        Self::status(StatusCode::UNPROCESSABLE_ENTITY, Some(code), message)
    }

    /// 500 with a text of its own.
    pub(crate) fn internal(message: impl Into<Message>) -> Self {
        Self::status(
            StatusCode::INTERNAL_SERVER_ERROR,
            Some(ErrorCode::UnexpectedFailure),
            message,
        )
    }

    /// Puts what failed into a sentence.
    pub(crate) fn saying<E: Into<Source>>(message: impl Into<Message>) -> impl FnOnce(E) -> Self {
        let error = Self::internal(message);
        |cause| error.with_source(cause)
    }

    /// What passes: 503, and when to come again.
    pub(crate) fn passing(message: impl Into<Message>, wait: Duration) -> Self {
        let code = Some(ErrorCode::UnexpectedFailure);
        Self::status(StatusCode::SERVICE_UNAVAILABLE, code, message).retry_after(wait)
    }

    /// An OAuth error.
    pub(crate) fn oauth(error: impl Into<Message>, description: impl Into<Message>) -> Self {
        Self::Oauth {
            error: error.into(),
            description: Some(description.into()),
        }
    }

    /// Names the cause, which goes to the log and decides whether a Postgres error is shown.
    #[must_use]
    pub(crate) fn with_source(mut self, cause: impl Into<Source>) -> Self {
        if let Self::Http { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }

    /// Adds a header to the answer.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Http { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }

    /// Says when to come again, in whole seconds.
    #[must_use]
    pub(crate) fn retry_after(self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        self.with_header("retry-after", seconds.to_string())
    }

    /// The HTTP status of the answer.
    pub(crate) fn http_status(&self) -> StatusCode {
        match self {
            Self::Http { status, .. } => *status,
            Self::Oauth { .. } => StatusCode::BAD_REQUEST,
            Self::WeakPassword { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unexpected(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The code of the answer, where one was given.
    pub(crate) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Http { code, .. } => *code,
            Self::Oauth { .. } => None,
            Self::WeakPassword { .. } => Some(ErrorCode::WeakPassword),
            Self::Unexpected(_) => Some(ErrorCode::UnexpectedFailure),
        }
    }

    /// The Postgres error behind this one, if that is what happened.
    pub(crate) fn database_cause(&self) -> Option<&DbError> {
        match self {
            Self::Http {
                source: Some(cause),
                ..
            }
            | Self::Unexpected(cause) => cause.downcast_ref(),
            Self::Http { .. } | Self::Oauth { .. } | Self::WeakPassword { .. } => None,
        }
    }
}

impl From<DbError> for Error {
    fn from(cause: DbError) -> Self {
        Self::Unexpected(Box::new(cause))
    }
}

impl From<BodyError> for Error {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(limit) => Self::status(
                StatusCode::PAYLOAD_TOO_LARGE,
                Some(ErrorCode::RequestEntityTooLarge),
                format!("Request body too large (max {limit} bytes)"),
            ),
            BodyError::TooSlow => Self::status(
                StatusCode::REQUEST_TIMEOUT,
                Some(ErrorCode::RequestTimeout),
                "Request body did not arrive in time",
            ),
            BodyError::Busy => Self::passing(
                "The server is handling as much as it can, please retry after a moment.",
                Duration::from_secs(body::RETRY_AFTER),
            ),
            // Upstream: 500, as if the service had failed.
            BodyError::Broken => Unreadable("it ends early or is badly encoded".into()).into(),
        }
    }
}

impl From<Unreadable> for Error {
    // Upstream: goes on with the words of Go's decoder.
    fn from(reason: Unreadable) -> Self {
        let text = format!("Could not parse request body as JSON: {reason}");
        Self::bad_request(ErrorCode::BadJson, text)
    }
}

impl RetryHint for Error {
    fn is_retryable(&self) -> bool {
        self.database_cause().is_some_and(DbError::is_retryable)
    }
}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        self.http_status()
    }

    /// The oldest format; `middleware` renders again once it knows what the client asked for.
    fn error_response(&self) -> HttpResponse {
        render(self, ApiVersion::Initial, None)
    }
}
