//! One request, read once: body, form values, address, agent and the headers handlers look at.
//!
//! Mirrors upstream's `internal/utilities/request.go`, `internal/sbff` and the parts of
//! `internal/api/middleware.go` that only look.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::{HttpMessage, HttpRequest};
use bytes::Bytes;
use jiff::Timestamp;
use platform::clock::Clock;
use platform::http::body::{self, BodyError};
use platform::http::forwarded::client_ip;
use platform::jwt::Claims;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use url::Url;

use crate::config::Config;
use crate::error::Error;
use crate::json::{self, Unreadable};

/// Where clients name the page to return to.
const REDIRECT_TO: &str = "redirect_to";

/// A request as handlers see it.
#[derive(Debug)]
pub(crate) struct Call {
    /// The client's address, in normal form.
    pub(crate) client_ip: Option<String>,
    pub(crate) user_agent: Option<String>,
    /// The address from `Sb-Forwarded-For`, where that header is trusted.
    pub(crate) forwarded_for: Option<String>,
    /// Path and query as the service received them.
    pub(crate) path_and_query: String,
    /// When the request began to be read.
    pub(crate) started: Instant,
    /// The same by the service's clock. Mails and messages are stamped with it, so that whoever may
    /// ask again is never told that the last one is too recent.
    pub(crate) asked_at: Timestamp,
    headers: HeaderMap,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
    body: Result<Bytes, BodyError>,
    /// The right to talk to the mail server, where this request may need it.
    mail_slot: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Call {
    /// A header that is present and not empty.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let value = self.headers.get(name)?.to_str().ok()?;
        Some(value).filter(|value| !value.is_empty())
    }

    /// Keeps the right to talk to the mail server until a letter takes it, at most as long as the
    /// request.
    pub(crate) fn keep_mail_slot(&self, slot: OwnedSemaphorePermit) {
        let mut kept = self
            .mail_slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(slot);
    }

    pub(crate) fn take_mail_slot(&self) -> Option<OwnedSemaphorePermit> {
        let mut kept = self
            .mail_slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.take()
    }

    /// The token of the `Authorization` header.
    pub(crate) fn bearer(&self) -> Option<&str> {
        platform::http::bearer::token(&self.headers)
    }

    /// The first query parameter of this name.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// All query parameters, in order.
    pub(crate) fn query_pairs(&self) -> &[(String, String)] {
        &self.query
    }

    /// The value of this name in a form body, else in the query, else nothing.
    pub(crate) fn form_value(&self, name: &str) -> &str {
        find(&self.form, name)
            .or_else(|| find(&self.query, name))
            .unwrap_or_default()
    }

    /// Decodes the body.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(json::read(self.bytes()?)?)
    }

    /// Decodes what the body begins with; what cannot be read is told in the route's words.
    pub(crate) fn json_stream<T: DeserializeOwned>(
        &self,
        told: impl FnOnce(Unreadable) -> Error,
    ) -> Result<T, Error> {
        json::read_first(self.bytes()?).map_err(told)
    }

    /// Whether there is a body at all.
    pub(crate) fn has_body(&self) -> bool {
        self.bytes().is_ok_and(|bytes| !bytes.is_empty())
    }

    fn bytes(&self) -> Result<&[u8], Error> {
        match &self.body {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(Error::from(*error)),
        }
    }

    /// The page to return to, if the client named one.
    pub(crate) fn redirect_to(&self) -> Option<&str> {
        let named = self
            .header(REDIRECT_TO)
            .unwrap_or_else(|| self.form_value(REDIRECT_TO));
        Some(named).filter(|url| !url.is_empty())
    }

    /// The page the request came from.
    pub(crate) fn referer(&self) -> Option<&str> {
        self.header("referer")
    }

    /// The audience the request is about: a header, else the token's, else the default.
    pub(crate) fn audience(&self, config: &Config, claims: Option<&Claims>) -> String {
        if let Some(aud) = self.header("x-jwt-aud") {
            return aud.to_owned();
        }
        claims
            .filter(|claims| !config.jwt.is_admin_role(claims.role.as_deref()))
            .and_then(|claims| claims.aud.first())
            .filter(|aud| !aud.is_empty())
            .unwrap_or(&config.jwt.aud)
            .clone()
    }

    /// Under which address this service is reached, for links.
    pub(crate) fn external_url(&self, config: &Config) -> Url {
        let hosts = &config.external_hosts;
        let Some(host) = self
            .header("x-forwarded-host")
            .filter(|host| hosts.iter().any(|h| h == host))
        else {
            return config.api_external_url.clone();
        };
        let plain = host == "localhost" && self.header("x-forwarded-proto") == Some("http");
        let scheme = if plain { "http" } else { "https" };
        Url::parse(&format!("{scheme}://{host}"))
            .unwrap_or_else(|_| config.api_external_url.clone())
    }
}

fn find<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    pairs
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

fn pairs(text: &[u8]) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text).into_owned().collect()
}

/// A form is parsed before any handler runs, and what is parsed is gone.
///
/// Upstream: the access log does this by accident; clients that send JSON under this content
/// type have learnt not to.
fn take_form(request: &HttpRequest, body: &mut Result<Bytes, BodyError>) -> Vec<(String, String)> {
    let kind = request.content_type().trim().to_ascii_lowercase();
    let is_multipart_token = kind == "multipart/form-data" && request.path().ends_with("/token");
    if kind != "application/x-www-form-urlencoded" && !is_multipart_token {
        return Vec::new();
    }
    match std::mem::replace(body, Ok(Bytes::new())) {
        Ok(bytes) if !is_multipart_token => pairs(&bytes),
        _ => Vec::new(),
    }
}

impl Call {
    /// Reads a request with a body up to this size; `Sb-Forwarded-For` may be trusted.
    pub(crate) async fn read(
        request: &HttpRequest,
        payload: Payload,
        largest_body: usize,
        clock: &Clock,
        trusted: bool,
    ) -> Self {
        let (started, asked_at) = (Instant::now(), clock.now());
        let mut body = body::read(request, payload, largest_body).await;
        let form = take_form(request, &mut body);
        let header = |name: &str| request.headers().get(name)?.to_str().ok();
        let forwarded_for = header("sb-forwarded-for")
            .filter(|_| trusted)
            .and_then(|list| list.split(',').next())
            .and_then(ip);
        // Upstream: `internal/utilities/request.go` takes the first address in X-Forwarded-For,
        // whoever wrote it.
        let client_ip = forwarded_for
            .clone()
            .or_else(|| Some(client_ip(request)?.to_string()));
        Self {
            client_ip,
            user_agent: header("user-agent")
                .filter(|agent| !agent.is_empty())
                .map(str::to_owned),
            forwarded_for,
            path_and_query: request
                .uri()
                .path_and_query()
                .map_or("/", |whole| whole.as_str())
                .to_owned(),
            started,
            asked_at,
            headers: request.headers().clone(),
            query: pairs(request.query_string().as_bytes()),
            form,
            body,
            mail_slot: Mutex::default(),
        }
    }
}

fn ip(text: &str) -> Option<String> {
    text.trim()
        .parse::<IpAddr>()
        .ok()
        .map(|ip| ip.to_canonical().to_string())
}
