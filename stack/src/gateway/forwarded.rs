//! `X-Forwarded-*`: what the services may believe about the caller. The gateway fills in what is
//! absent; what a client sends counts only as far as trusted proxies stand in front, because rate
//! limits, audit records and mail links are made from it.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use platform::http::forwarded::sender;

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const PORT: HeaderName = HeaderName::from_static("x-forwarded-port");
const PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What a proxy says about the request as it got it; without one it is the client who says so.
const BY_PROXIES: [HeaderName; 3] = [HOST, PORT, PROTO];

/// Headers by which a client could pretend to be somebody else. A proxy that writes
/// `X-Forwarded-For` may well let these through as they came.
const CLAIMS: [HeaderName; 4] = [
    PREFIX,
    HeaderName::from_static("forwarded"),
    HeaderName::from_static("x-real-ip"),
    HeaderName::from_static("sb-forwarded-for"),
];

/// Rewrites the forwarding headers of a request for a service mounted at `prefix`.
pub(super) fn describe(request: &mut ServiceRequest, proxies: usize, prefix: &'static str) {
    let sender = sender(request.headers(), request.peer_addr(), proxies);
    let sender = sender.map(|address| address.to_string());
    let by_clients: &[HeaderName] = if proxies == 0 { &BY_PROXIES } else { &[] };
    for name in CLAIMS.iter().chain(by_clients).chain([&FOR]) {
        request.headers_mut().remove(name);
    }
    let host = request.connection_info().host().to_owned();
    let port = request.app_config().local_addr().port().to_string();
    let add = |request: &mut ServiceRequest, name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value)
            && !value.is_empty()
            && !request.headers().contains_key(&name)
        {
            request.headers_mut().insert(name, value);
        }
    };
    add(request, FOR, &sender.unwrap_or_default());
    add(request, PORT, host_port(&host).unwrap_or(&port));
    add(request, HOST, &host);
    add(request, PROTO, "http");
    add(request, PREFIX, prefix);
}

/// The port within `host:port`.
fn host_port(host: &str) -> Option<&str> {
    let (_, port) = host.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(port)
}
