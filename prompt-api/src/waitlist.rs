//! The early-access list: what an address must look like and how often one may sign up.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// Sign-ups one address may send each minute.
const PER_MINUTE: NonZeroU32 = match NonZeroU32::new(5) {
    Some(number) => number,
    None => NonZeroU32::MIN,
};

/// Known addresses beyond which idle ones are forgotten.
const REMEMBERED: usize = 10_000;

/// Longest e-mail address, characters.
const EMAIL_LIMIT: usize = 254;

/// Slows down whoever signs up too often.
pub(crate) struct SignupLimiter {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
}

impl Default for SignupLimiter {
    fn default() -> Self {
        Self {
            limiter: RateLimiter::keyed(Quota::per_minute(PER_MINUTE)),
        }
    }
}

impl SignupLimiter {
    /// Takes one sign-up off an address's quota, or says how long to wait.
    pub(crate) fn check(&self, address: Option<IpAddr>) -> Result<(), Duration> {
        if self.limiter.len() > REMEMBERED {
            self.limiter.retain_recent();
        }
        let key = network(address.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED)));
        self.limiter
            .check_key(&key)
            .map_err(|refused| refused.wait_time_from(DefaultClock::default().now()))
    }
}

/// One household has one IPv4 address but a whole /64 of IPv6 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let prefix = u128::from(v6) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
    }
}

/// The address as it is stored, if it looks like one: `x@y.z` without spaces.
pub(crate) fn normalise_email(text: &str) -> Option<String> {
    let email = text.trim().to_lowercase();
    let (local, domain) = email.rsplit_once('@')?;
    let labels_fill = domain.split('.').all(|label| !label.is_empty());
    let plain = |part: &str| {
        !part.is_empty()
            && !part.contains('@')
            && !part.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    let fits = email.chars().count() <= EMAIL_LIMIT;
    (fits && plain(local) && plain(domain) && domain.contains('.') && labels_fill).then_some(email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_trimmed_and_lower_case() {
        assert_eq!(
            normalise_email(" Ada@Example.COM "),
            Some("ada@example.com".to_owned())
        );
        let long = format!("{}@example.com", "a".repeat(250));
        for bad in [
            "", "a", "a@b", "@b.c", "a@", "a@b.", "a@.b", "a b@c.d", "a@b@c.d", "a\0@b.c", &long,
        ] {
            assert_eq!(normalise_email(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_sixth_signup_within_a_minute_waits() {
        let limiter = SignupLimiter::default();
        let near: IpAddr = "2001:db8::1".parse().unwrap();
        let same_network: IpAddr = "2001:db8::2".parse().unwrap();
        let far: IpAddr = "2001:db8:1::1".parse().unwrap();
        for _ in 0..5 {
            limiter.check(Some(near)).unwrap();
        }
        assert!(limiter.check(Some(same_network)).unwrap_err() <= Duration::from_secs(12));
        limiter.check(Some(far)).unwrap();
    }
}
