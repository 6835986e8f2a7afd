//! API keys: what a project's clients send in the `apikey` header.
//!
//! Legacy keys are JWTs with a role; the newer ones are opaque (`sb_publishable_…`,
//! `sb_secret_…`) and are exchanged by the gateway. Formats and the well-known development
//! values are those of upstream's CLI and self-hosting scripts.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::env::Secret;
use crate::jwt::{KeyError, Keyring};
use crate::keys;

/// Shared secret of upstream's local development stack.
pub const DEMO_JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";

/// Ten years, the lifetime of generated legacy keys.
const LEGACY_KEY_SECONDS: i64 = 10 * 365 * 24 * 3600;

/// The four keys of a project.
#[derive(Clone, Debug)]
pub struct ApiKeys {
    /// JWT with role `anon`: may be published.
    pub anon: String,
    /// JWT with role `service_role`: bypasses row level security.
    pub service_role: Secret<String>,
    /// Opaque twin of `anon`.
    pub publishable: String,
    /// Opaque twin of `service_role`.
    pub secret: Secret<String>,
}

/// Members in the order upstream's CLI writes them, so that the demo keys come out identical.
#[derive(Serialize)]
struct LegacyClaims<'a> {
    iss: &'a str,
    role: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
    exp: i64,
}

impl ApiKeys {
    /// The keys every sample of a local Supabase project carries.
    pub fn demo() -> Result<Self, KeyError> {
        let secret = Secret::from(DEMO_JWT_SECRET);
        let keyring = Keyring::from_config(Some(&secret), None)?;
        let legacy = |role| {
            keyring.sign_with_secret(&LegacyClaims {
                iss: "supabase-demo",
                role,
                iat: None,
                exp: 1_983_812_996,
            })
        };
        Ok(Self {
            anon: legacy("anon")?,
            service_role: Secret::new(legacy("service_role")?),
            publishable: "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH".to_owned(),
            secret: Secret::from("sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"),
        })
    }

    /// New keys, the legacy pair signed with the ring's shared secret at `now` (Unix seconds).
    pub fn generate(keyring: &Keyring, now: i64) -> Result<Self, KeyError> {
        let legacy = |role| {
            let exp = now + LEGACY_KEY_SECONDS;
            keyring.sign_with_secret(&LegacyClaims {
                iss: "wildfire",
                role,
                iat: Some(now),
                exp,
            })
        };
        Ok(Self {
            anon: legacy("anon")?,
            service_role: Secret::new(legacy("service_role")?),
            publishable: opaque_key("sb_publishable_"),
            secret: Secret::new(opaque_key("sb_secret_")),
        })
    }
}

/// A random opaque key with upstream's informational checksum at its end.
fn opaque_key(prefix: &str) -> String {
    let random = format!("{prefix}{}", URL_SAFE_NO_PAD.encode(keys::random::<16>()));
    let digest = Sha256::digest(format!("supabase-self-hosted|{random}"));
    let checksum = URL_SAFE_NO_PAD.encode(digest);
    format!("{random}_{}", &checksum[..8])
}

/// Whether `given` is `expected`, in time that does not depend on where they differ. Nothing is
/// the empty key.
pub fn matches(given: &str, expected: &str) -> bool {
    !expected.is_empty() && keys::same(given.as_bytes(), expected.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_keys_are_the_well_known_ones() {
        let keys = ApiKeys::demo().unwrap();
        assert_eq!(
            keys.anon,
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"
        );
    }

    #[test]
    fn generated_keys_have_upstreams_shape_and_differ() {
        let (one, two) = (opaque_key("sb_secret_"), opaque_key("sb_secret_"));
        assert_ne!(one, two);
        assert_eq!(one.len(), "sb_secret_".len() + 22 + 1 + 8);
        assert!(matches(&one, &one) && !matches(&one, &two) && !matches("", ""));
    }
}
