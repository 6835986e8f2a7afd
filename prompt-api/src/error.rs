//! Everything an answer can say went wrong.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use platform::http::body;
use platform::jwt::JwtError;
use platform::pg::{DbError, SqlState};
use platform::telemetry::seldom::Seldom;
use serde::Serialize;
use serde_json::{Value, json};

use crate::compile::CompileError;

/// What `wildfire_private.require_session()` raises.
const SESSION_ENDED: &str = "PT401";

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct FieldProblem {
    /// Name of the member.
    pub field: &'static str,
    /// What it has to be.
    pub message: String,
}

/// One prompt that a key could mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct Candidate {
    pub id: i64,
    /// `owner/slug`, what `?repo=` takes.
    pub repo: String,
}

/// The text of each variant is public; what caused it is only logged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("The request body is not the JSON expected here, see line {}, column {}", .0.line(), .0.column())]
    MalformedBody(#[source] serde_json::Error),
    #[error("{0}")]
    MalformedQuery(&'static str),
    #[error("The request body could not be read as UTF-8 text")]
    UnreadableBody,
    #[error("The request body did not arrive in time")]
    SlowBody,
    #[error("The server is handling as much as it can; try again in a moment")]
    Busy,
    #[error("Sign in to do this")]
    SignedOut,
    #[error("The access token is not valid")]
    InvalidToken(#[source] JwtError),
    #[error("The access token names no user this API knows")]
    UnsuitableToken,
    #[error("Your session has ended; sign in again")]
    SessionEnded,
    #[error("Your role does not allow this")]
    Forbidden,
    #[error("No prompt found with id {0}")]
    NoPromptWithId(String),
    #[error("No prompt found with key {0}")]
    NoPromptWithKey(String),
    #[error("No version {0} of this prompt")]
    NoVersion(String),
    #[error("No repository found at {0}")]
    NoRepository(String),
    #[error("Nothing is served at this address")]
    NoRoute,
    #[error("This address does not answer to this method")]
    MethodNotAllowed,
    #[error("A prompt with this key already exists in the repository")]
    KeyTaken,
    #[error("A repository with this slug already exists")]
    SlugTaken,
    #[error("The text is the one of the current version")]
    NoChange,
    #[error("Several repositories have a prompt with key {key}; choose one with ?repo=")]
    AmbiguousKey {
        key: String,
        candidates: Vec<Candidate>,
    },
    #[error("The prompt has changed since it was read")]
    Stale,
    #[error("{0}")]
    TooLarge(String),
    #[error("{}", describe(.0))]
    Invalid(Vec<FieldProblem>),
    #[error("Missing variables: {}", .0.join(", "))]
    MissingVariables(Vec<String>),
    #[error("Too many requests; try again later")]
    TooManyRequests(Duration),
    #[error("The database cannot serve this now; try again in a moment")]
    Unavailable(#[source] DbError, Duration),
    #[error("Something went wrong on our side; the request id helps to find out what")]
    Internal(#[source] DbError),
    #[error("Something went wrong on our side; the request id helps to find out what")]
    Unwritable(#[source] serde_json::Error),
}

fn describe(problems: &[FieldProblem]) -> String {
    let texts: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}: {}", problem.field, problem.message))
        .collect();
    texts.join("; ")
}

impl Error {
    /// One field that is not acceptable.
    pub(crate) fn field(field: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldProblem {
            field,
            message: message.into(),
        }])
    }

    /// Status and machine-readable name.
    fn code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::MalformedBody(_) | Self::MalformedQuery(_) | Self::UnreadableBody => {
                (StatusCode::BAD_REQUEST, "malformed_request")
            }
            Self::SignedOut
            | Self::InvalidToken(_)
            | Self::UnsuitableToken
            | Self::SessionEnded => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
            Self::NoPromptWithId(_)
            | Self::NoPromptWithKey(_)
            | Self::NoVersion(_)
            | Self::NoRepository(_)
            | Self::NoRoute => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::KeyTaken | Self::SlugTaken => (StatusCode::CONFLICT, "conflict"),
            Self::NoChange => (StatusCode::CONFLICT, "no_change"),
            Self::AmbiguousKey { .. } => (StatusCode::CONFLICT, "ambiguous_key"),
            Self::Stale => (StatusCode::PRECONDITION_FAILED, "precondition_failed"),
            Self::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Self::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed"),
            Self::MissingVariables(_) => (StatusCode::UNPROCESSABLE_ENTITY, "missing_variables"),
            Self::TooManyRequests(_) => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::SlowBody => (StatusCode::REQUEST_TIMEOUT, "request_timeout"),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Self::Unavailable(..) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Self::Internal(_) | Self::Unwritable(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal_error")
            }
        }
    }

    fn details(&self) -> Option<Value> {
        match self {
            Self::Invalid(problems) => Some(json!(problems)),
            Self::MissingVariables(names) => Some(json!({ "missing": names })),
            Self::AmbiguousKey { candidates, .. } => Some(json!(candidates)),
            _ => None,
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooManyRequests(wait) => Some(wait.as_secs() + 1),
            Self::Unavailable(_, wait) => Some(wait.as_secs()),
            Self::Busy => Some(body::RETRY_AFTER),
            _ => None,
        }
    }

    fn log(&self) {
        let cause = std::error::Error::source(self).map(ToString::to_string);
        let error = cause.unwrap_or_default();
        match self {
            Self::Unavailable(cause, _) => {
                if let Some(left_out) = cause.outage().map_or(Some(0), Seldom::admit) {
                    tracing::error!(error, left_out, "database unavailable");
                }
            }
            Self::Internal(_) => tracing::error!(error, "unexpected database failure"),
            Self::Unwritable(_) => tracing::error!(error, "an answer could not be written"),
            _ => tracing::debug!(error, refusal = %self, "request refused"),
        }
    }
}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        self.code().0
    }

    fn error_response(&self) -> HttpResponse {
        self.log();
        let (status, code) = self.code();
        let mut error = json!({ "code": code, "message": self.to_string() });
        if let (Some(details), Some(members)) = (self.details(), error.as_object_mut()) {
            members.insert("details".to_owned(), details);
        }
        let mut response = HttpResponse::build(status).json(json!({ "error": error }));
        if let Some(seconds) = self.retry_after() {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<DbError> for Error {
    /// The database checks again what the API has checked, for whoever writes to it directly; what
    /// it refuses here slipped through or lost a race.
    fn from(error: DbError) -> Self {
        if let Some(wait) = error.retry_after() {
            return Self::Unavailable(error, wait);
        }
        if error
            .code()
            .is_some_and(|code| code.code() == SESSION_ENDED)
        {
            return Self::SessionEnded;
        }
        match (error.code(), error.constraint()) {
            (Some(&SqlState::INSUFFICIENT_PRIVILEGE), _) => Self::Forbidden,
            (Some(&SqlState::UNIQUE_VIOLATION), Some("prompts_repository_id_key_key")) => {
                Self::KeyTaken
            }
            (
                Some(&SqlState::UNIQUE_VIOLATION),
                Some("repositories_organization_id_slug_key" | "organizations_slug_key"),
            ) => Self::SlugTaken,
            (Some(&SqlState::CHECK_VIOLATION), Some(constraint)) => {
                let (field, message) = broken_rule(constraint);
                Self::field(field, message)
            }
            _ => Self::Internal(error),
        }
    }
}

fn broken_rule(constraint: &str) -> (&'static str, &'static str) {
    match constraint {
        "prompts_key_check" => (
            "key",
            "Only lowercase letters, numbers, and hyphens allowed",
        ),
        "prompts_name_check" | "repositories_name_check" => {
            ("name", "must have 1 to 120 characters")
        }
        "prompts_description_check" | "repositories_description_check" => {
            ("description", "must have at most 1000 characters")
        }
        "prompts_tags_check" => ("tags", "at most 20 tags of 1 to 32 characters"),
        "prompts_template_check" => ("template", "is required"),
        "prompts_template_size" => ("template", "must have at most 256 KiB"),
        "prompts_version_metadata_check" => ("metadata", "must be an object of at most 16 KiB"),
        "repositories_slug_check" => (
            "slug",
            "Only lowercase letters, numbers, and hyphens allowed",
        ),
        "repositories_slug_reserved" => ("slug", "is reserved"),
        _ => ("body", "breaks a rule of the database"),
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::MissingVariables(names) => Self::MissingVariables(names),
            CompileError::InvalidValue(_) | CompileError::OutputTooLong => {
                Self::field("variables", error.to_string())
            }
            CompileError::UnknownTimezone(_) => Self::field("timezone", error.to_string()),
        }
    }
}
