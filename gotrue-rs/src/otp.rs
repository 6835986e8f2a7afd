//! One-time codes and how they are stored. Mirrors upstream's `internal/crypto/crypto.go`.

use aws_lc_rs::hmac;
use jiff::{SignedDuration, Timestamp};

/// What marks a stored token as one of a PKCE flow.
pub(crate) const PKCE_PREFIX: &str = "pkce_";

/// How often a code may be typed wrong. After that it is spent, while the link in the same mail,
/// which cannot be guessed, still works.
///
/// Upstream: as often as the rate limits let one client ask.
pub(crate) const MOST_TRIES: i32 = 10;

/// Whether a mail leads straight to a session or to a code that is exchanged for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Implicit,
    Pkce,
}

impl Flow {
    /// A challenge asks for PKCE.
    pub(crate) fn of_challenge(code_challenge: &str) -> Self {
        if code_challenge.is_empty() {
            Self::Implicit
        } else {
            Self::Pkce
        }
    }

    /// The flow a token from a link belongs to.
    pub(crate) fn of_token(token: &str) -> Self {
        if token.starts_with(PKCE_PREFIX) {
            Self::Pkce
        } else {
            Self::Implicit
        }
    }
}

/// A code as it is sent, and the hash under which it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) digits: String,
    pub(crate) stored: String,
}

/// What codes are hashed with, and with them the tokens in links.
///
/// Upstream: hashes without a key, so that whoever knows an address can work out the link of
/// every code there is, and try those instead of codes.
#[derive(Clone)]
pub(crate) struct CodeKey(hmac::Key);

impl CodeKey {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA224, key))
    }

    /// A fresh code for this address.
    pub(crate) fn generate(&self, length: u32, address: &str, flow: Flow) -> Code {
        let digits = digits(length);
        let hash = self.hash(address, &digits);
        let stored = match flow {
            Flow::Implicit => hash,
            Flow::Pkce => format!("{PKCE_PREFIX}{hash}"),
        };
        Code { digits, stored }
    }

    /// The hash of a code together with the address it went to: a code is good for one user.
    pub(crate) fn hash(&self, address: &str, code: &str) -> String {
        let tag = hmac::sign(&self.0, format!("{address}{code}").as_bytes());
        hex::encode(tag)
    }
}

/// Uniformly distributed digits, leading zeros included.
pub(crate) fn digits(length: u32) -> String {
    let number = rand::random_range(0..10_u64.pow(length));
    format!("{number:0width$}", width = length as usize)
}

/// Whether a code is the stored one and still young enough.
pub(crate) fn is_valid(
    hash: &str,
    stored: &str,
    sent_at: Option<Timestamp>,
    lifetime: SignedDuration,
    now: Timestamp,
) -> bool {
    let Some(sent_at) = sent_at else { return false };
    !stored.is_empty()
        && !is_expired(sent_at, lifetime, now)
        && stored.strip_prefix(PKCE_PREFIX).unwrap_or(stored) == hash
}

/// Whether a code sent then is too old now; at the very end of its life it still counts.
pub(crate) fn is_expired(sent_at: Timestamp, lifetime: SignedDuration, now: Timestamp) -> bool {
    now.duration_since(sent_at) > lifetime
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_the_length_asked_for() {
        for length in 6..=10 {
            let code = digits(length);
            assert_eq!(code.len(), length as usize);
            assert!(code.bytes().all(|byte| byte.is_ascii_digit()));
        }
    }

    #[test]
    fn links_look_like_upstreams_and_cannot_be_worked_out() {
        let (one, other) = (CodeKey::new(&[1; 32]), CodeKey::new(&[2; 32]));
        let link = one.hash("user@example.com", "123456");
        assert_eq!(link.len(), 56);
        assert_eq!(link, one.hash("user@example.com", "123456"));
        assert_ne!(link, one.hash("user@example.net", "123456"));
        assert_ne!(link, other.hash("user@example.com", "123456"));
        // Upstream's, which everybody can.
        assert_ne!(
            link,
            "b507a4ef007e1379d644aa6fe395cf98f1054ac96b63a052dca9a26a"
        );
    }

    #[test]
    fn a_code_counts_until_its_last_instant() {
        let sent = Timestamp::UNIX_EPOCH;
        let hour = SignedDuration::from_hours(1);
        let valid = |stored: &str, now| is_valid("h", stored, Some(sent), hour, now);
        let end = sent + hour;
        assert!(valid("h", end));
        assert!(valid("pkce_h", end));
        assert!(!valid("h", end + SignedDuration::from_micros(1)));
        assert!(!valid("", sent));
        assert!(!valid("other", sent));
        assert!(!is_valid("h", "h", None, hour, sent));
    }
}
