//! CORS for the API routes: any origin may call, because every call carries its own credentials
//! and none rides on cookies. Preflights are answered before any key is looked at, as both of
//! upstream's gateways do (the stock Kong plugin locally, Envoy's filter in the compose stack).

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, HttpResponseBuilder};

const METHODS: &str = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
const MAX_AGE_SECONDS: &str = "3600";
const ANY: HeaderValue = HeaderValue::from_static("*");

/// The answer to a preflight, if the request is one.
pub(super) fn preflight(request: &ServiceRequest) -> Option<HttpResponse> {
    let headers = request.headers();
    let asked = request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !asked {
        return None;
    }
    let mut response = HttpResponseBuilder::new(StatusCode::OK);
    response
        .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS))
        .insert_header((header::VARY, "Access-Control-Request-Headers"));
    if let Some(names) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        // Echoed, because `*` would not cover Authorization.
        response.insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone()));
    }
    Some(response.finish())
}

/// Lets the page that called read the answer.
pub(super) fn open(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    // The combination with `*` is refused by browsers, so it can only confuse.
    headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
    set_default(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, ANY);
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    if !headers.contains_key(&name) {
        headers.insert(name, value);
    }
}
