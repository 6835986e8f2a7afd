//! Genuine tokens pass, forged ones do not, and the cache forgets expired ones.

use std::sync::Arc;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::EncodingKey;
use serde_json::json;

use super::*;
use crate::env::Secret;
use crate::jwt::generate_es256_jwk;

const SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";

fn ring() -> Keyring {
    let jwk = generate_es256_jwk("one").unwrap();
    Keyring::from_config(Some(&Secret::from(SECRET)), Some(&json!([jwk]).to_string()))
        .unwrap()
        .with_valid_methods(["HS256", "ES256"])
}

fn forge(header: &serde_json::Value, key: &[u8]) -> String {
    let claims = json!({ "sub": "x", "role": "service_role" });
    let message = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let key = EncodingKey::from_secret(key);
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256).unwrap();
    format!("{message}.{signature}")
}

#[test]
fn signed_token_verifies_until_it_expires() {
    let ring = Arc::new(ring());
    let clock = Clock::fixed(Timestamp::from_second(1_000).unwrap());
    let verifier = Verifier::new(Arc::clone(&ring), clock.clone());
    let token = ring
        .sign(&json!({ "sub": "u", "role": "authenticated", "exp": 1_060 }))
        .unwrap();
    for _ in 0..2 {
        assert_eq!(
            verifier.verify(&token).unwrap().claims.sub.as_deref(),
            Some("u")
        );
    }
    clock.advance(SignedDuration::from_secs(60));
    assert_eq!(verifier.verify(&token).unwrap_err(), JwtError::Expired);
}

#[test]
fn forged_tokens_are_refused_with_upstream_texts() {
    let ring = Arc::new(ring());
    let public = ring.public_jwks()["keys"][0].clone();
    let verifier = Verifier::new(ring, Clock::system());
    let cases = [
        (
            forge(&json!({ "alg": "none" }), b""),
            "signing method none is invalid",
        ),
        (
            forge(&json!({ "alg": "HS256" }), b"guess"),
            "signature is invalid",
        ),
        (
            forge(
                &json!({ "alg": "HS256", "kid": "one" }),
                public.to_string().as_bytes(),
            ),
            "key is of invalid type",
        ),
        (
            forge(&json!({ "alg": "ES256", "kid": "two" }), SECRET.as_bytes()),
            "unrecognized JWT kid two for algorithm ES256",
        ),
        (
            forge(&json!({ "alg": "ES256", "kid": "one" }), b"x"),
            "crypto/ecdsa: verification error",
        ),
        (
            forge(&json!({ "alg": "RS256" }), b"x"),
            "signing method RS256 is invalid",
        ),
        (
            forge(&json!({}), SECRET.as_bytes()),
            "signing method (alg) is unspecified",
        ),
        (
            "a.b".to_owned(),
            "token contains an invalid number of segments",
        ),
        ("!.!.!".to_owned(), "could not base64 decode header"),
    ];
    for (token, text) in cases {
        let error = verifier.verify(&token).unwrap_err().to_string();
        assert!(error.ends_with(text), "{error} does not end with {text}");
    }
}

#[test]
fn public_set_holds_no_private_member_and_no_shared_secret() {
    let jwk = generate_es256_jwk("one").unwrap();
    let oct = json!({ "kty": "oct", "k": "c2VjcmV0", "alg": "HS256" });
    let ring =
        Keyring::from_config(None, Some(&json!({ "keys": [jwk, oct] }).to_string())).unwrap();
    let set = ring.public_jwks();
    assert_eq!(set["keys"].as_array().unwrap().len(), 1);
    assert!(set["keys"][0].get("d").is_none());
}

#[test]
fn remembered_tokens_have_a_bound_in_bytes_whatever_users_put_into_them() {
    let ring = Arc::new(ring());
    let verifier = Verifier::new(Arc::clone(&ring), Clock::system());
    let ones = vec![1; 1000];
    let remember = |number: u64| {
        let claims = json!({ "sub": number.to_string(), "user_metadata": ones });
        let token = ring.sign_with_secret(&claims).unwrap();
        verifier.verify(&token).unwrap();
        token
    };
    let each = {
        let token = remember(0);
        let known = verifier.cache.get(token.as_str()).unwrap();
        assert!(known.bytes > 1000 * 32, "{}", known.bytes);
        known.bytes
    };
    for number in 1..=2 * CACHED_BYTES / each {
        remember(number);
    }
    assert!(verifier.cache.weight() <= CACHED_BYTES);
    assert!(verifier.cache.weight() > CACHED_BYTES / 2);
}
