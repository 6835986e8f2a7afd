//! The client's address: from `X-Forwarded-For` as far as it was written by proxies we know of,
//! else from the socket.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;

/// How many proxies stand in front of a service (in its app data). Without it there is none, and
/// the header proves nothing: anybody can send one.
#[derive(Clone, Copy, Debug)]
pub struct TrustedProxies(pub usize);

/// The address of whoever sent this request.
pub fn client_ip(request: &HttpRequest) -> Option<IpAddr> {
    let proxies = request.app_data::<TrustedProxies>();
    let proxies = proxies.map_or(0, |TrustedProxies(proxies)| *proxies);
    sender(request.headers(), request.peer_addr(), proxies)
}

/// The address of whoever sent these headers, which came from `peer` through so many trusted
/// proxies.
pub fn sender(headers: &HeaderMap, peer: Option<SocketAddr>, proxies: usize) -> Option<IpAddr> {
    seen_by_outermost(headers, proxies).or_else(|| Some(peer?.ip().to_canonical()))
}

/// The address that the outermost of so many trusted proxies saw. Proxies append to
/// `X-Forwarded-For`, so what stands further left was sent by the client.
fn seen_by_outermost(headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let lines = headers
        .get_all("x-forwarded-for")
        .filter_map(|line| line.to_str().ok());
    let seen: Vec<&str> = lines
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();
    let outermost = seen.len().checked_sub(proxies)?;
    let address: IpAddr = seen.get(outermost)?.parse().ok()?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_what_trusted_proxies_appended_counts() {
        for (proxies, expected) in [
            (None, "192.0.2.1"),
            (Some(0), "192.0.2.1"),
            (Some(1), "10.0.0.1"),
            (Some(2), "203.0.113.9"),
            // More proxies than have written anything.
            (Some(4), "192.0.2.1"),
        ] {
            let mut request = TestRequest::default()
                .insert_header(("x-forwarded-for", "nonsense, 203.0.113.9, 10.0.0.1"))
                .peer_addr("192.0.2.1:7".parse().unwrap());
            if let Some(proxies) = proxies {
                request = request.app_data(TrustedProxies(proxies));
            }
            let found = client_ip(&request.to_http_request());
            assert_eq!(found, Some(expected.parse().unwrap()), "{proxies:?}");
        }
    }
}
