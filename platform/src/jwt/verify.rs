//! Verifies tokens, remembering those that passed.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use jsonwebtoken::Algorithm;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::{Map, Value};

use super::{Claims, Keyring, VerifiedToken};
use crate::clock::Clock;
use crate::json::Object;
use crate::telemetry::{Metrics, count};

/// About how many bytes verified tokens may take that are remembered: users fill their tokens through
/// their metadata, so a number of tokens would be no bound. It is enough for those of eight thousand
/// users; an ES256 check costs more than the query behind it.
const CACHED_BYTES: u64 = 32 << 20;

/// What a token usually takes, to begin with.
const USUAL_BYTES: u64 = 4 << 10;

/// Longest token remembered, bytes.
const MAX_CACHED_TOKEN: usize = 4 * 1024;

/// Longest token looked at, bytes: what fits into the head of a request beside a key.
pub const MAX_TOKEN_BYTES: usize = 28 * 1024;

/// Unpadded base64url as RFC 7515 wants it; golang-jwt ignores stray trailing bits, so do we.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// Why a token is refused; the text is golang-jwt's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JwtError {
    /// Not three parts, not base64url or not JSON.
    #[error("token is malformed: {0}")]
    Malformed(&'static str),
    /// The algorithm is unknown, or no key fits the token.
    #[error("token is unverifiable: {0}")]
    Unverifiable(String),
    /// The algorithm is not accepted, or the signature does not match.
    #[error("token signature is invalid: {0}")]
    Signature(String),
    /// `exp` has passed.
    #[error("token has invalid claims: token is expired")]
    Expired,
    /// `nbf` lies ahead.
    #[error("token has invalid claims: token is not valid yet")]
    NotYetValid,
}

/// Checks tokens against a [`Keyring`] and the time. Cloning shares keys and cache.
#[derive(Clone)]
pub struct Verifier {
    keyring: Arc<Keyring>,
    clock: Clock,
    cache: Arc<Cache<Box<str>, Known, Bytes>>,
}

/// A token that has been verified, and about how many bytes it takes.
#[derive(Clone)]
struct Known {
    token: Arc<VerifiedToken>,
    bytes: u64,
}

impl Known {
    fn new(text: &str, token: Arc<VerifiedToken>) -> Self {
        /// The entry itself, with all its small allocations.
        const ENTRY: usize = 512;
        /// A member or element of parsed JSON, besides its text.
        const VALUE: usize = 96;
        let json = token.json.as_bytes();
        let values = json
            .iter()
            .filter(|byte| matches!(byte, b',' | b'[' | b'{'));
        let bytes = ENTRY + text.len() + 2 * json.len() + VALUE * values.count();
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Self { token, bytes }
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Box<str>, Known> for Bytes {
    fn weight(&self, _: &Box<str>, known: &Known) -> u64 {
        known.bytes
    }
}

impl Verifier {
    /// A verifier over `keyring`.
    pub fn new(keyring: Arc<Keyring>, clock: Clock) -> Self {
        Self {
            keyring,
            clock,
            cache: Arc::new(Cache::with_weighter(
                usize::try_from(CACHED_BYTES / USUAL_BYTES).unwrap_or_default(),
                CACHED_BYTES,
                Bytes,
            )),
        }
    }

    /// Shows how well it remembers.
    pub fn show(&self, metrics: Metrics) {
        let (metrics, cache) = (metrics.part("cache", "tokens"), &self.cache);
        let (hits, misses) = ("Found where it was looked for", "Not found there");
        metrics.gauge("cache_entries", "What is remembered", cache, |it| {
            count(it.len())
        });
        metrics.gauge("cache_bytes", "About what that takes", cache, |it| {
            count(it.weight())
        });
        metrics.total("cache_hits", hits, cache, |it| count(it.hits()));
        metrics.total("cache_misses", misses, cache, |it| count(it.misses()));
    }

    /// Checks signature, `exp` and `nbf`. Audience and issuer are the caller's business.
    pub fn verify(&self, token: &str) -> Result<Arc<VerifiedToken>, JwtError> {
        if let Some(Known { token: known, .. }) = self.cache.get(token) {
            return match self.check_times(&known.claims) {
                Ok(()) => Ok(known),
                Err(error) => {
                    self.cache.remove(token);
                    Err(error)
                }
            };
        }
        let verified = Arc::new(self.check(token)?);
        if token.len() <= MAX_CACHED_TOKEN {
            let known = Known::new(token, Arc::clone(&verified));
            self.cache.insert(token.into(), known);
        }
        Ok(verified)
    }

    fn check(&self, token: &str) -> Result<VerifiedToken, JwtError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(JwtError::Malformed("token is too long"));
        }
        let parts: Vec<&str> = token.split('.').collect();
        let [header, payload, signature] = parts[..] else {
            return Err(JwtError::Malformed(
                "token contains an invalid number of segments",
            ));
        };
        let header = object(
            header,
            "could not base64 decode header",
            "could not JSON decode header",
        )?;
        let claims = object(
            payload,
            "could not base64 decode claim",
            "could not JSON decode claim",
        )?;
        self.check_signature(
            &header,
            &token[..token.len() - signature.len() - 1],
            signature,
        )?;
        let json = Value::Object(claims.clone()).to_string();
        // No database keeps a NUL in a text, and each is told the claims.
        if json.contains("\\u0000") && claims.iter().any(|(name, value)| has_nul(name, value)) {
            return Err(JwtError::Malformed("could not JSON decode claim"));
        }
        let claims = Claims::from_object(claims)
            .ok_or(JwtError::Malformed("could not JSON decode claim"))?;
        self.check_times(&claims)?;
        Ok(VerifiedToken { claims, json })
    }

    fn check_signature(
        &self,
        header: &Map<String, Value>,
        message: &str,
        signature: &str,
    ) -> Result<(), JwtError> {
        let unverifiable = |text: &str| JwtError::Unverifiable(text.to_owned());
        let name = header
            .get("alg")
            .and_then(Value::as_str)
            .ok_or_else(|| unverifiable("signing method (alg) is unspecified"))?;
        if name == "none" {
            return Err(JwtError::Signature(
                "signing method none is invalid".to_owned(),
            ));
        }
        let algorithm: Algorithm = name
            .parse()
            .map_err(|_| unverifiable("signing method (alg) is unavailable"))?;
        if !self.keyring.accepts(algorithm) {
            return Err(JwtError::Signature(format!(
                "signing method {name} is invalid"
            )));
        }
        let kid = header.get("kid").and_then(Value::as_str);
        let Some((key, pinned)) = self.keyring.find(kid, algorithm) else {
            let kid = kid.unwrap_or("<nil>");
            return Err(JwtError::Unverifiable(format!(
                "error while executing keyfunc: unrecognized JWT kid {kid} for algorithm {name}"
            )));
        };
        // Upstream: golang-jwt takes the algorithm from the token and relies on key types to
        // differ; here the key alone decides.
        if pinned != algorithm {
            return Err(JwtError::Signature("key is of invalid type".to_owned()));
        }
        match jsonwebtoken::crypto::verify(signature, message.as_bytes(), key, pinned) {
            Ok(true) => Ok(()),
            _ => Err(JwtError::Signature(mismatch_text(pinned).to_owned())),
        }
    }

    fn check_times(&self, claims: &Claims) -> Result<(), JwtError> {
        let now = self.clock.now().as_second();
        if claims.exp.is_some_and(|exp| now >= exp) {
            return Err(JwtError::Expired);
        }
        if claims.nbf.is_some_and(|nbf| now < nbf) {
            return Err(JwtError::NotYetValid);
        }
        Ok(())
    }
}

fn has_nul(name: &str, value: &Value) -> bool {
    name.contains('\0')
        || match value {
            Value::String(text) => text.contains('\0'),
            Value::Array(items) => items.iter().any(|item| has_nul("", item)),
            Value::Object(members) => members.iter().any(|(name, value)| has_nul(name, value)),
            _ => false,
        }
}

fn mismatch_text(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => "signature is invalid",
        Algorithm::ES256 | Algorithm::ES384 => "crypto/ecdsa: verification error",
        _ => "crypto/rsa: verification error",
    }
}

fn object(
    part: &str,
    not_base64: &'static str,
    not_json: &'static str,
) -> Result<Map<String, Value>, JwtError> {
    let bytes = BASE64URL
        .decode(part)
        .map_err(|_| JwtError::Malformed(not_base64))?;
    let read: Result<Object, _> = serde_json::from_slice(&bytes);
    read.map(|object| object.0)
        .map_err(|_| JwtError::Malformed(not_json))
}

#[cfg(test)]
mod tests;
