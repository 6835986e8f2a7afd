//! What this service answers when it cannot do what was asked.
//!
//! One type for the whole service. `Display` is the public text; causes travel only as
//! `#[source]` and reach the log. Mirrors upstream's `internal/api/errors.go` and `apierrors`.

mod code;
mod outage;
mod refusal;
mod render;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use platform::pg::{DbError, RetryHint};

pub(crate) use code::ErrorCode;
pub(crate) use refusal::EMAIL_EXISTS;
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

    /// 429, and how long to wait.
    pub(crate) fn too_many_requests(
        code: ErrorCode,
        message: impl Into<Message>,
        wait: Duration,
    ) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        Self::status(StatusCode::TOO_MANY_REQUESTS, Some(code), message)
            .with_header("retry-after", seconds.to_string())
    }

    /// 500 with a text of its own.
    pub(crate) fn internal(message: impl Into<Message>) -> Self {
        Self::status(
            StatusCode::INTERNAL_SERVER_ERROR,
            Some(ErrorCode::UnexpectedFailure),
            message,
        )
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
