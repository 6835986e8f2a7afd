//! Whom a request is counted against.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The bits of an IPv6 address that name a customer; the rest is the customer's to choose.
const NETWORK_BITS: u32 = 64;

/// The bits that name a site, which gets many such networks.
const SITE_BITS: u32 = 48;

/// A client as it is told from others: an IPv4 address, an IPv6 network, or whatever name a
/// proxy gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Origin(Arc<str>);

impl Origin {
    /// The client of this name.
    ///
    /// Upstream: counts each IPv6 address for itself, of which everybody has 2^64.
    pub(crate) fn named(name: &str) -> Self {
        Self::within(name, NETWORK_BITS)
    }

    /// The site the client of this name belongs to: all its IPv6 networks.
    pub(crate) fn site(name: &str) -> Self {
        Self::within(name, SITE_BITS)
    }

    fn within(name: &str, bits: u32) -> Self {
        match name.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
            Ok(IpAddr::V6(ip)) => {
                let network = ip.to_bits() >> (128 - bits) << (128 - bits);
                Self(format!("{}/{bits}", Ipv6Addr::from_bits(network)).into())
            }
            Ok(ip) => Self(ip.to_string().into()),
            Err(_) => Self(name.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let one = Origin::named("2001:db8:1:2::1");
        assert_eq!(one, Origin::named("2001:db8:1:2:ffff:0:0:9"));
        assert_ne!(one, Origin::named("2001:db8:1:3::1"));
        assert_eq!(
            Origin::named("::ffff:203.0.113.9"),
            Origin::named("203.0.113.9")
        );
        assert_ne!(Origin::named("203.0.113.8"), Origin::named("203.0.113.9"));
        assert_eq!(Origin::named("phone"), Origin::named("phone"));
        assert_eq!(
            Origin::site("2001:db8:1:2::1"),
            Origin::site("2001:db8:1:3::1")
        );
        assert_ne!(
            Origin::site("2001:db8:1:2::1"),
            Origin::site("2001:db8:2:2::1")
        );
        assert_eq!(Origin::site("203.0.113.9"), Origin::named("203.0.113.9"));
    }
}
