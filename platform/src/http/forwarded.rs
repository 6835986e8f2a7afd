//! The client's address, from `X-Forwarded-For` or the socket.

use std::net::IpAddr;

use actix_web::http::header::HeaderMap;

/// The first valid address in `X-Forwarded-For`, else the socket's peer (upstream's rule).
///
/// The header is only as trustworthy as the proxy in front; the gateway replaces what clients
/// send unless it is told to trust them.
pub fn client_ip(headers: &HeaderMap, peer: Option<IpAddr>) -> Option<IpAddr> {
    headers
        .get("x-forwarded-for")
        .and_then(|value| value.to_str().ok())
        .and_then(|list| list.split(',').find_map(|part| part.trim().parse().ok()))
        .or(peer)
        .map(|address: IpAddr| address.to_canonical())
}
