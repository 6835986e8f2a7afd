//! The values every local Supabase project has, so that every client's sample
//! works (`pkg/config/config.go` of the CLI). They are public and protect nothing.

use platform::api_keys::{ApiKeys, DEMO_JWT_SECRET};
use platform::env::Secret;
use platform::jwt::KeyError;

use super::{S3Credentials, Secrets};

/// The id of the CLI's signing key.
pub(super) const SIGNING_KEY_ID: &str = "b81269f1-21d8-4f2e-b719-c2240a840d90";

/// The secret in the example file of the self-hosted stack.
pub(super) const SELF_HOST_SECRET: &str =
    "your-super-secret-jwt-token-with-at-least-32-characters-long";

/// Passwords that are written in public example files.
pub(super) const DEFAULT_PASSWORDS: &[&str] = &[
    "postgres",
    "your-super-secret-and-long-postgres-password",
    "password",
];

const SIGNING_KEYS: &str = r#"[{"kty":"EC","kid":"b81269f1-21d8-4f2e-b719-c2240a840d90","use":"sig","key_ops":["sign","verify"],"alg":"ES256","ext":true,"crv":"P-256","x":"M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4","y":"P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ","d":"dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU"}]"#;

/// The whole set.
pub(super) fn secrets() -> Result<Secrets, KeyError> {
    Ok(Secrets {
        api: ApiKeys::demo()?,
        jwt_secret: Secret::from(DEMO_JWT_SECRET),
        jwt_keys: Secret::from(SIGNING_KEYS),
        database_password: Secret::from("postgres"),
        s3: S3Credentials {
            id: "625729a08b95bf1b7ff351a663f3a23c".to_owned(),
            secret: Secret::from(
                "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907",
            ),
            region: "local".to_owned(),
        },
        generated: None,
    })
}
