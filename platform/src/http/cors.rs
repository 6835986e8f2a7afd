//! Cross-origin rules as upstream applies them: [`CorsRules`] those of its Go services (`rs/cors` with
//! any origin), [`preflight`] and [`open`] those of both its gateways (the stock Kong plugin locally,
//! Envoy's filter in the compose stack), which stand in front of every service.
//!
//! Any origin may call: every call carries its own credentials, and none rides on cookies.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse};

/// What a gateway lets pages use, and for how long they may remember that.
const METHODS: &str = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
const MAX_AGE_SECONDS: &str = "3600";

/// What other origins may do at a service.
#[derive(Clone, Debug)]
pub struct CorsRules {
    /// Methods a browser may use.
    pub methods: &'static [&'static str],
    /// Request headers a browser may send, lower-case; `*` alone allows all.
    pub allowed_headers: Vec<String>,
    /// Response headers scripts may read.
    pub exposed_headers: &'static str,
    /// Whether cookies may be sent.
    pub credentials: bool,
}

impl CorsRules {
    /// Applies the rules around the rest of the service; use with `middleware::from_fn`.
    pub async fn apply<B: MessageBody + 'static>(
        &self,
        request: ServiceRequest,
        next: Next<B>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        if is_preflight(&request) {
            let response = self.preflight(request.headers());
            return Ok(request.into_response(response));
        }
        let has_origin = request.headers().contains_key(header::ORIGIN);
        let mut response = next.call(request).await?.map_into_boxed_body();
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        if has_origin {
            self.allow_origin(headers);
            insert(
                headers,
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                self.exposed_headers,
            );
        }
        Ok(response)
    }

    /// The answer to a preflight; without the allow headers if the request would not be allowed.
    fn preflight(&self, request: &HeaderMap) -> HttpResponse {
        let mut response = HttpResponse::new(StatusCode::NO_CONTENT);
        let headers = response.headers_mut();
        let vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
        insert(headers, header::VARY, vary);
        let method = text(request, &header::ACCESS_CONTROL_REQUEST_METHOD);
        let wanted = text(request, &header::ACCESS_CONTROL_REQUEST_HEADERS);
        let is_of_a_page = request.contains_key(header::ORIGIN);
        if !is_of_a_page || !self.methods.contains(&method) || !self.allows_headers(wanted) {
            return response;
        }
        self.allow_origin(headers);
        insert(headers, header::ACCESS_CONTROL_ALLOW_METHODS, method);
        if !wanted.is_empty() {
            insert(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
        }
        response
    }

    fn allow_origin(&self, headers: &mut HeaderMap) {
        insert(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        if self.credentials {
            insert(headers, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
        }
    }

    fn allows_headers(&self, wanted: &str) -> bool {
        self.allowed_headers.iter().any(|allowed| allowed == "*")
            || wanted
                .split(',')
                .map(|name| name.trim().to_ascii_lowercase())
                .all(|name| name.is_empty() || self.allowed_headers.contains(&name))
    }
}

/// The answer of a gateway to a preflight, if the request is one: before any key is looked at.
pub fn preflight(request: &ServiceRequest) -> Option<HttpResponse> {
    let asked = request.headers();
    if !is_preflight(request) || !asked.contains_key(header::ORIGIN) {
        return None;
    }
    let mut response = HttpResponse::new(StatusCode::OK);
    let headers = response.headers_mut();
    insert(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    insert(headers, header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    insert(headers, header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
    insert(headers, header::VARY, "Access-Control-Request-Headers");
    if let Some(names) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        // Echoed, because `*` would not cover Authorization.
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    Some(response)
}

/// Lets the page that called read the answer, whatever the service behind the gateway said.
pub fn open(headers: &mut HeaderMap) {
    insert(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    // The combination with `*` is refused by browsers, so it can only confuse.
    headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
    if !headers.contains_key(header::ACCESS_CONTROL_EXPOSE_HEADERS) {
        insert(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, "*");
    }
}

fn is_preflight(request: &ServiceRequest) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Inserts a header whose value came from constants or from a header that was valid already.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
