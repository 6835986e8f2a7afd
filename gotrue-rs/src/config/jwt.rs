//! Token settings.

use std::time::Duration;

use platform::env::{Reader, Secret};
use platform::jwt::{KeyError, Keyring};
use platform::keys;

/// Life of an access token, seconds, unless another is set.
const HOUR: u64 = 3600;
/// Ten years, seconds.
const LONGEST: u64 = 315_360_000;

/// How tokens are made and checked.
#[derive(Debug)]
pub(crate) struct JwtConfig {
    /// `GOTRUE_JWT_SECRET` (required): the HS256 key.
    secret: Secret<String>,
    /// `GOTRUE_JWT_KEYS`: a JSON array of JWKs, one of which may sign.
    keys: Option<String>,
    /// `GOTRUE_JWT_KEY_ID`: the key id of the secret.
    key_id: String,
    /// `GOTRUE_JWT_VALID_METHODS` (default: the algorithms of the keys).
    valid_methods: Vec<String>,
    /// `GOTRUE_JWT_EXP` (default 3600, at most 315360000): life of an access token, seconds.
    pub(crate) exp: Duration,
    /// `GOTRUE_JWT_AUD`: the default audience.
    pub(crate) aud: String,
    /// `GOTRUE_JWT_DEFAULT_GROUP_NAME`: the role of new users.
    pub(crate) default_group_name: String,
    /// `GOTRUE_JWT_ADMIN_GROUP_NAME` (default admin): users of this role may set `app_metadata`.
    pub(crate) admin_group_name: String,
    /// `GOTRUE_JWT_ADMIN_ROLES` (default `service_role,supabase_admin`).
    admin_roles: Vec<String>,
    /// `GOTRUE_JWT_ISSUER`: the `iss` claim.
    pub(crate) issuer: String,
}

impl JwtConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let text = |name: &str, default: &str| {
            let value = env.string_or(name, default);
            if value.is_empty() {
                default.to_owned()
            } else {
                value
            }
        };
        let config = Self {
            secret: env.required_secret("GOTRUE_JWT_SECRET"),
            keys: env
                .string("GOTRUE_JWT_KEYS")
                .filter(|keys| !matches!(keys.trim(), "" | "[]" | "{}")),
            key_id: env.string_or("GOTRUE_JWT_KEY_ID", ""),
            valid_methods: env.list("GOTRUE_JWT_VALID_METHODS"),
            exp: Duration::from_secs(env.number_within("GOTRUE_JWT_EXP", HOUR, &(1..=LONGEST))),
            aud: env.string_or("GOTRUE_JWT_AUD", ""),
            default_group_name: env
                .string_or("GOTRUE_JWT_DEFAULT_GROUP_NAME", "")
                .trim()
                .to_owned(),
            admin_group_name: text("GOTRUE_JWT_ADMIN_GROUP_NAME", "admin"),
            admin_roles: match env.list("GOTRUE_JWT_ADMIN_ROLES") {
                roles if roles.is_empty() => {
                    vec!["service_role".to_owned(), "supabase_admin".to_owned()]
                }
                roles => roles,
            },
            issuer: env.string_or("GOTRUE_JWT_ISSUER", ""),
        };
        if let Err(error) = config.keyring() {
            env.problem("GOTRUE_JWT_KEYS", &format!("cannot be used: {error}"));
        }
        config
    }

    /// The keys to sign and verify with.
    pub(crate) fn keyring(&self) -> Result<Keyring, KeyError> {
        let keyring = Keyring::from_config(Some(&self.secret), self.keys.as_deref())?
            .with_secret_kid(&self.key_id);
        Ok(if self.valid_methods.is_empty() {
            keyring
        } else {
            keyring.with_valid_methods(self.valid_methods.iter().map(String::as_str))
        })
    }

    /// A key for another purpose, made from the secret.
    pub(crate) fn derive_key(&self, purpose: &str) -> Result<[u8; 32], KeyError> {
        keys::derive(self.secret.expose().as_bytes(), purpose)
    }

    /// Whether tokens of this role may use the admin routes.
    pub(crate) fn is_admin_role(&self, role: Option<&str>) -> bool {
        self.admin_roles
            .iter()
            .any(|admin| role == Some(admin.as_str()))
    }
}
