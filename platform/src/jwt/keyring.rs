//! The keys a service signs and verifies with.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use serde::Serialize;
use serde_json::{Value, json};

use super::jwk::{Key, KeyError, parse_set};
use crate::env::Secret;

/// A shared secret, a set of JSON Web Keys, or both.
///
/// Several keys may verify at once, so that a signing key can be rotated while tokens of the
/// old one are still about; exactly one signs.
pub struct Keyring {
    keys: Vec<Key>,
    secret: Option<Key>,
    valid_methods: Vec<Algorithm>,
}

impl Keyring {
    /// Reads a ring from a shared HS256 secret and a JWK set, either of which may be absent.
    ///
    /// Tokens of the algorithms of the given JWKs are accepted, or HS256 alone without any;
    /// [`Keyring::with_valid_methods`] widens that.
    pub fn from_config(
        hmac_secret: Option<&Secret<String>>,
        jwks: Option<&str>,
    ) -> Result<Self, KeyError> {
        let keys = jwks.map(parse_set).transpose()?.unwrap_or_default();
        if keys.iter().filter(|key| key.encoding.is_some()).count() > 1 {
            return Err(KeyError::SeveralSigningKeys);
        }
        let secret = hmac_secret.map(|secret| secret_key(secret.expose()));
        let mut valid_methods: Vec<_> = keys.iter().map(|key| key.algorithm).collect();
        if valid_methods.is_empty() {
            valid_methods.push(Algorithm::HS256);
        }
        Ok(Self {
            keys,
            secret,
            valid_methods,
        })
    }

    /// Gives the shared secret a `kid` (upstream's `GOTRUE_JWT_KEY_ID`).
    #[must_use]
    pub fn with_secret_kid(mut self, kid: &str) -> Self {
        if let Some(secret) = self.secret.as_mut().filter(|_| !kid.is_empty()) {
            secret.kid = Some(kid.to_owned());
        }
        self
    }

    /// Replaces the accepted algorithms; unknown names are left out.
    #[must_use]
    pub fn with_valid_methods<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.valid_methods = names
            .into_iter()
            .filter_map(|name| name.parse().ok())
            .collect();
        self
    }

    /// Whether tokens of this algorithm are accepted at all.
    pub(super) fn accepts(&self, algorithm: Algorithm) -> bool {
        self.valid_methods.contains(&algorithm)
    }

    /// The key a token names: by `kid`, else the shared secret for HS256.
    pub(super) fn find(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Option<(&DecodingKey, Algorithm)> {
        let named = kid.and_then(|kid| {
            self.keys
                .iter()
                .chain(&self.secret)
                .find(|key| key.kid.as_deref() == Some(kid))
        });
        let by_secret = || {
            self.secret
                .as_ref()
                .filter(|_| algorithm == Algorithm::HS256)
        };
        // A set holding a single unnamed shared key stands for the secret.
        let unnamed = || {
            self.keys.iter().find(|key| {
                key.kid.is_none() && key.algorithm == algorithm && algorithm == Algorithm::HS256
            })
        };
        let key = named.or_else(by_secret).or_else(unnamed)?;
        Some((&key.decoding, key.algorithm))
    }

    /// The public keys as a JWK set; shared secrets are not in it.
    pub fn public_jwks(&self) -> Value {
        let keys: Vec<_> = self
            .keys
            .iter()
            .filter_map(|key| key.public.clone())
            .collect();
        json!({ "keys": keys })
    }

    /// Signs `claims` with the key that may sign, else with the shared secret.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, KeyError> {
        let key = self.signing_key().ok_or(KeyError::NoSigningKey)?;
        sign_with(key, claims)
    }

    /// Signs with the shared secret whatever else is in the ring (the legacy API keys).
    pub fn sign_with_secret(&self, claims: &impl Serialize) -> Result<String, KeyError> {
        sign_with(self.secret.as_ref().ok_or(KeyError::NoSigningKey)?, claims)
    }

    fn signing_key(&self) -> Option<&Key> {
        self.keys
            .iter()
            .find(|key| key.encoding.is_some())
            .or(self.secret.as_ref())
    }
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Keyring")
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

fn secret_key(secret: &str) -> Key {
    Key {
        kid: None,
        algorithm: Algorithm::HS256,
        decoding: DecodingKey::from_secret(secret.as_bytes()),
        encoding: Some(EncodingKey::from_secret(secret.as_bytes())),
        public: None,
    }
}

/// Header in the member order golang-jwt writes: alg, kid, typ.
fn sign_with(key: &Key, claims: &impl Serialize) -> Result<String, KeyError> {
    let encoding = key.encoding.as_ref().ok_or(KeyError::NoSigningKey)?;
    let algorithm = format!("{:?}", key.algorithm);
    let header = match &key.kid {
        Some(kid) => json!({ "alg": algorithm, "kid": kid, "typ": "JWT" }),
        None => json!({ "alg": algorithm, "typ": "JWT" }),
    };
    let claims = serde_json::to_vec(claims).map_err(|_| KeyError::Refused)?;
    let mut token = URL_SAFE_NO_PAD.encode(header.to_string());
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(claims, &mut token);
    let signature = jsonwebtoken::crypto::sign(token.as_bytes(), encoding, key.algorithm)
        .map_err(|_| KeyError::Refused)?;
    token.push('.');
    token.push_str(&signature);
    Ok(token)
}
