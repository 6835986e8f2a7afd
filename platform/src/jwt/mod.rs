//! JSON Web Tokens: verification against a [`Keyring`] with a bounded cache, and signing.
//!
//! The algorithm is pinned by the key, never taken from the token: a token that names an ES256
//! key and says HS256 is refused. Error texts are those of golang-jwt, which upstream's auth
//! service passes on to clients.

mod claims;
mod jwk;
mod keyring;
mod verify;

pub use claims::{Claims, VerifiedToken};
pub use jwk::{KeyError, generate_es256_jwk};
pub use keyring::Keyring;
pub use verify::{JwtError, MAX_TOKEN_BYTES, Verifier};
