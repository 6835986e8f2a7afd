//! Failures of the database that are the request's own fault, or that pass.

use std::error::Error as StdError;

use platform::pg::{DbError, SqlState};

use super::{Error, ErrorCode};

/// What is said wherever an address already belongs to somebody.
pub(crate) const EMAIL_EXISTS: &str = "A user with this email address has already been registered";

impl Error {
    /// The answer this failure calls for, whatever text its handler gave it: decided by what the
    /// database said.
    pub(crate) fn settled(&self) -> Option<Self> {
        self.refused_text().or_else(|| self.unavailable())
    }

    /// The database is away, busy or full, which passes.
    // Upstream: answers 500, which its clients take for the end of the session.
    fn unavailable(&self) -> Option<Self> {
        let first = StdError::source(self)?;
        let wait = std::iter::successors(Some(first), |cause| StdError::source(*cause))
            .find_map(|cause| cause.downcast_ref::<DbError>()?.retry_after())?;
        let text = "The database cannot serve this request now, please retry after a moment.";
        Some(Self::passing(text, wait))
    }

    /// The refusal this failure is: Postgres cannot hold the NUL character, wherever a client
    /// puts it.
    // Upstream: answers 500 as if something had broken.
    fn refused_text(&self) -> Option<Self> {
        let code = self.database_cause().and_then(DbError::code);
        let unstorable = matches!(
            code,
            Some(&SqlState::CHARACTER_NOT_IN_REPERTOIRE | &SqlState::UNTRANSLATABLE_CHARACTER)
        );
        unstorable.then(|| {
            Self::bad_request(
                ErrorCode::ValidationFailed,
                "Text cannot contain the NUL character",
            )
        })
    }

    /// What is said to whoever finds an address or number taken, also if somebody took it
    /// between the question and the answer; other failures stay what they are.
    // Upstream: the loser of such a race gets a server error.
    #[must_use]
    pub(crate) fn or_taken(self) -> Self {
        let constraint = self.database_cause().and_then(DbError::constraint);
        constraint.and_then(taken).unwrap_or(self)
    }

    /// Whether a row like the new one exists already.
    pub(crate) fn is_duplicate(&self) -> bool {
        self.database_cause().and_then(DbError::code) == Some(&SqlState::UNIQUE_VIOLATION)
    }
}

/// By the constraint that saw it.
fn taken(constraint: &str) -> Option<Error> {
    match constraint {
        "users_email_partial_key" => {
            Some(Error::unprocessable(ErrorCode::EmailExists, EMAIL_EXISTS))
        }
        "users_phone_key" => Some(Error::unprocessable(
            ErrorCode::PhoneExists,
            "A user with this phone number has already been registered",
        )),
        _ => None,
    }
}
