//! Why something is not done, as the domain sees it; the text is what the client reads.
//!
//! What HTTP makes of a refusal, its status and code, is decided in `error::answer` alone.

use std::borrow::Cow;
use std::time::Duration;

/// A refusal that is the client's affair.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// What the client said cannot be.
    #[error("{0}")]
    Invalid(Cow<'static, str>),

    #[error("Signups not allowed for this instance")]
    SignupsClosed,
    #[error("Email signups are disabled")]
    EmailSignupsClosed,
    #[error("Phone signups are disabled")]
    PhoneSignupsClosed,
    #[error("User already registered")]
    AlreadyRegistered,
    /// The code verifier of a PKCE flow.
    #[error("{0}")]
    Verifier(&'static str),

    #[error("This endpoint requires a valid Bearer token")]
    NoToken,
    #[error("invalid JWT: unable to parse or verify signature, {0}")]
    Token(String),
    #[error("invalid claim: {0}")]
    Claim(&'static str),
    #[error("invalid claim: sub claim must be a UUID")]
    Subject,
    #[error("User from sub claim in JWT does not exist")]
    UserGone,
    #[error("Session from session_id claim in JWT does not exist")]
    SessionGone,
    #[error("Session is no longer valid")]
    SessionLapsed,
    #[error("User is banned")]
    Banned,
    #[error("User not allowed")]
    NotAdmin,
    #[error("Anonymous user not allowed to perform these actions")]
    Nameless,

    #[error("Invalid Refresh Token: {0}")]
    Refresh(RefreshRefusal),
    #[error("Too many concurrent token refresh requests on the same session or refresh token")]
    RefreshCrowd,

    #[error("Request rate limit reached")]
    TooOften(Duration),
    #[error("For security purposes, you can only request this after {} seconds.", .wait.as_secs())]
    TooSoon { what: Sent, wait: Duration },
    #[error("email rate limit exceeded")]
    TooManyMails(Duration),
    #[error("The mail server is busy, please retry after a moment.")]
    MailBusy,
    #[error("Email address {0:?} cannot be used as it is not authorized")]
    NotAuthorized(String),
    #[error("Email address {0:?} is invalid")]
    Undeliverable(String),
}

/// What goes out to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Mail,
    Message,
}

/// Why a refresh token is no longer good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefreshRefusal {
    #[error("Refresh Token Not Found")]
    Unknown,
    #[error("Already Used")]
    Used,
    #[error("Not Issued By This Server")]
    Foreign,
    #[error("User Banned")]
    Banned,
    #[error("No Valid Session Found")]
    NoSession,
    #[error("Session Expired{0}")]
    Expired(&'static str),
}

impl Refusal {
    /// What the client said cannot be.
    pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(text.into())
    }
}
