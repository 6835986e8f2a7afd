//! Tokens as the auth service signs them, with keys made for this process.

use std::sync::{Arc, LazyLock};

use platform::api_keys::DEMO_JWT_SECRET;
use platform::clock::Clock;
use platform::env::Secret;
use platform::jwt::{Keyring, generate_es256_jwk};
use serde_json::{Map, Value, json};

static SIGNING_JWK: LazyLock<Value> =
    LazyLock::new(|| generate_es256_jwk("test-key").expect("signing key"));

static KEYRING: LazyLock<Arc<Keyring>> = LazyLock::new(|| {
    let secret = Secret::from(DEMO_JWT_SECRET);
    let keyring = Keyring::from_config(Some(&secret), Some(&signing_jwks())).expect("keyring");
    Arc::new(keyring.with_valid_methods(["HS256", "ES256"]))
});

/// The keyring that signed the tokens of this module: an ES256 key and the demo secret.
pub fn keyring() -> Arc<Keyring> {
    Arc::clone(&KEYRING)
}

/// The private keys as a JSON array, as `GOTRUE_JWT_KEYS` takes them.
pub fn signing_jwks() -> String {
    json!([*SIGNING_JWK]).to_string()
}

/// An ES256 access token of the user `sub` that is valid for an hour and names no session.
pub fn access_token(sub: &str) -> String {
    access_token_with(sub, &json!({}))
}

/// Like [`access_token`], with `extra` claims added or replaced.
pub fn access_token_with(sub: &str, extra: &Value) -> String {
    let now = Clock::system().now().as_second();
    let mut claims = json!({
        "sub": sub, "role": "authenticated", "aud": "authenticated", "iat": now, "exp": now + 3600,
        "email": format!("{sub}@example.com"), "aal": "aal1",
        "is_anonymous": false,
    });
    claims
        .as_object_mut()
        .expect("an object")
        .extend(extra.as_object().cloned().unwrap_or_else(Map::new));
    KEYRING.sign(&claims).expect("signature")
}

/// The legacy `anon` key.
pub fn anon() -> String {
    KEYRING
        .sign_with_secret(&json!({ "role": "anon", "exp": 1_983_812_996 }))
        .expect("signature")
}

/// The legacy `service_role` key.
pub fn service_role() -> String {
    let claims = json!({ "role": "service_role", "exp": 1_983_812_996 });
    KEYRING.sign_with_secret(&claims).expect("signature")
}
