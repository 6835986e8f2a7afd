//! Cross-origin rules as upstream's Go services apply them (`rs/cors` with any origin).

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse};

/// What other origins may do. Any origin may call; that is what API keys are for.
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
