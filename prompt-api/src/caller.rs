//! Who is calling.
//!
//! The extractor is ready at once and comes first among a handler's arguments, so that a bad token
//! answers 401 before anybody looks at the body.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use platform::http::bearer;
use platform::jwt::VerifiedToken;
use platform::pg::{Database, Session};
use uuid::Uuid;

use crate::error::Error;
use crate::state::State;

/// Claims of a request without a token.
const ANONYMOUS_CLAIMS: &str = r#"{"role":"anon"}"#;

/// The role and claims a request acts with.
#[derive(Clone)]
pub(crate) enum Caller {
    /// No token, or the public key of the project.
    Anonymous,
    /// A signed-in user.
    User { id: Uuid, token: Arc<VerifiedToken> },
    /// A server that holds the secret key; row level security does not apply to it.
    Service { token: Arc<VerifiedToken> },
}

/// A caller who is not anonymous.
pub(crate) struct SignedIn(pub(crate) Caller);

/// Who operates the installation: holds the secret key, or the token that opens the metrics.
pub(crate) struct Operator;

/// The user of a request, left in its extensions for those who count calls.
#[derive(Clone, Copy)]
pub(crate) struct UserOfRequest(pub(crate) Uuid);

impl Caller {
    /// Statements run with the caller's role and claims.
    pub(crate) fn session<'a>(&'a self, database: &'a Database) -> Session<'a> {
        match self {
            Self::Anonymous => database.session("anon", ANONYMOUS_CLAIMS),
            Self::User { token, .. } => database.session("authenticated", &token.json),
            Self::Service { token } => database.session("service_role", &token.json),
        }
    }

    /// The signed-in user's id.
    pub(crate) fn user_id(&self) -> Option<Uuid> {
        match self {
            Self::User { id, .. } => Some(*id),
            Self::Anonymous | Self::Service { .. } => None,
        }
    }

    pub(crate) fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous)
    }

    fn from_token(token: Arc<VerifiedToken>) -> Result<Self, Error> {
        let claims = &token.claims;
        match claims.role.as_deref() {
            Some("anon") => Ok(Self::Anonymous),
            Some("service_role") => Ok(Self::Service { token }),
            Some("authenticated") => {
                let id = claims.sub.as_deref().and_then(|sub| sub.parse().ok());
                let id = id.ok_or(Error::UnsuitableToken)?;
                Ok(Self::User { id, token })
            }
            _ => Err(Error::UnsuitableToken),
        }
    }

    fn read(request: &HttpRequest) -> Result<Self, Error> {
        if !request.headers().contains_key(AUTHORIZATION) {
            return Ok(Self::Anonymous);
        }
        let state = request
            .app_data::<web::Data<State>>()
            .ok_or(Error::UnsuitableToken)?;
        let token = bearer::token(request.headers()).ok_or(Error::UnsuitableToken)?;
        let token = state.verifier.verify(token).map_err(Error::InvalidToken)?;
        let caller = Self::from_token(token)?;
        if let Some(id) = caller.user_id() {
            request.extensions_mut().insert(UserOfRequest(id));
        }
        Ok(caller)
    }
}

impl FromRequest for Caller {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::read(request))
    }
}

impl FromRequest for SignedIn {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(match Caller::read(request) {
            Ok(Caller::Anonymous) => Err(Error::SignedOut),
            Ok(caller) => Ok(Self(caller)),
            Err(error) => Err(error),
        })
    }
}

impl FromRequest for Operator {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let state = request.app_data::<web::Data<State>>();
        if state.is_some_and(|state| state.operations.may_see_metrics(request)) {
            return ready(Ok(Self));
        }
        ready(match Caller::read(request) {
            Ok(Caller::Anonymous) => Err(Error::SignedOut),
            Ok(_) => Err(Error::Forbidden),
            Err(error) => Err(error),
        })
    }
}
