//! What whoever operates an installation asks: how it is, and how busy. One service of a house answers
//! that for all.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse};
use jiff::Timestamp;
use serde::Serialize;

use super::{Board, House};
use crate::api_keys;
use crate::clock::Clock;
use crate::env::{Reader, Secret};
use crate::health::{Condition, Health};
use crate::http::bearer;
use crate::jwt::Verifier;
use crate::telemetry;

/// Fewest characters of the token that opens the metrics: it must not be guessed.
const METRICS_TOKEN_LEAST: usize = 32;

/// Who may ask.
#[derive(Debug, Clone, Default)]
pub struct OperationsConfig {
    /// `METRICS_TOKEN` (default none): a bearer token, at least 32 characters, that opens `/metrics`
    /// and nothing else. Without it only the secret key does.
    pub metrics_token: Option<Secret<String>>,
}

impl OperationsConfig {
    /// Reads the settings; the reader collects what is wrong with them.
    pub fn from_env(env: &Reader<'_>) -> Self {
        let metrics_token = env.secret("METRICS_TOKEN");
        let too_short = |token: &Secret<String>| token.expose().len() < METRICS_TOKEN_LEAST;
        if metrics_token.as_ref().is_some_and(too_short) {
            env.problem("METRICS_TOKEN", "must have at least 32 characters");
        }
        Self { metrics_token }
    }
}

/// The state of the whole, and of its parts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Health))]
pub struct HealthBody {
    /// `ok`, `degraded` or `down`.
    pub status: &'static str,
    /// Why, for people.
    pub message: &'static str,
    /// When it was asked.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub timestamp: Timestamp,
    /// Of this build.
    pub version: &'static str,
    /// The parts.
    pub components: Vec<Component>,
}

/// One part.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Component {
    /// Which.
    pub name: &'static str,
    /// `operational`, `healthy`, `degraded`, `down`, `available` or `not_configured`.
    pub status: &'static str,
}

impl Component {
    /// A part that is like this.
    pub const fn new(name: &'static str, status: &'static str) -> Self {
        Self { name, status }
    }

    /// A part in this condition.
    pub const fn in_condition(name: &'static str, health: Health) -> Self {
        let status = match health.condition {
            Condition::Healthy => "healthy",
            Condition::Degraded => "degraded",
            Condition::Down => "down",
        };
        Self::new(name, status)
    }
}

/// Answers operators, in the name of one service.
pub struct Operations {
    asker: &'static str,
    board: Board,
    clock: Clock,
    verifier: Verifier,
    metrics_token: Option<Secret<String>>,
}

impl Operations {
    /// Those of this house, answered by the service `asker`.
    pub fn new(asker: &'static str, house: &House, config: &OperationsConfig) -> Self {
        Self {
            asker,
            board: house.board.clone(),
            clock: house.clock.clone(),
            verifier: house.verifier.clone(),
            metrics_token: config.metrics_token.clone(),
        }
    }

    /// Whether everything works, in the service that answers and in all others: `degraded` while one of
    /// them is slow or the database cannot store anything, 503 when one cannot do what it is for. The
    /// parts of the service that answers come first.
    pub async fn health(
        &self,
        own: impl Future<Output = (Health, Vec<Component>)>,
    ) -> HttpResponse {
        let others = self.board.ask_all_but(self.asker);
        let ((own, mut components), others) = tokio::join!(own, others);
        let whole = others.iter().fold(own, |worst, (_, it)| worst.worse(*it));
        let others = others.into_iter();
        components.extend(others.map(|(name, it)| Component::in_condition(name, it)));
        let (mut answer, status) = match whole.condition {
            Condition::Healthy => (HttpResponse::Ok(), "ok"),
            Condition::Degraded => (HttpResponse::Ok(), "degraded"),
            Condition::Down => (HttpResponse::ServiceUnavailable(), "down"),
        };
        answer.json(HealthBody {
            status,
            message: whole.message,
            timestamp: self.clock.now(),
            version: env!("CARGO_PKG_VERSION"),
            components,
        })
    }

    /// Whether this request may see the metrics: it brings the secret key, or the token that opens
    /// them alone. Where it comes from proves nothing: to a server behind a proxy every caller is a
    /// neighbour.
    pub fn may_see_metrics(&self, request: &HttpRequest) -> bool {
        let Some(given) = bearer::token(request.headers()) else {
            return false;
        };
        let expected = self.metrics_token.as_ref();
        let holds_key = || {
            let verified = self.verifier.verify(given).ok();
            verified.is_some_and(|token| token.claims.role.as_deref() == Some("service_role"))
        };
        expected.is_some_and(|expected| api_keys::matches(given, expected.expose())) || holds_key()
    }

    /// All metrics of this process. They tell how busy an installation is, which is nobody else's
    /// business: see [`Self::may_see_metrics`].
    pub fn metrics() -> HttpResponse {
        HttpResponse::Ok()
            .insert_header((
                CONTENT_TYPE,
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            ))
            .body(telemetry::render())
    }
}
