//! Keys and passwords of an installation: the well-known demo values in
//! development, generated once and kept in production.
//!
//! Names in the environment and in `supabase/config.toml` are upstream's, and
//! what somebody sets there wins.

mod demo;
mod error;
mod stored;

use std::sync::Arc;

use platform::api_keys::{ApiKeys, DEMO_JWT_SECRET};
use platform::clock::Clock;
use platform::env::{Secret, Vars};
use platform::jwt::{JwtError, Keyring, Verifier};
use serde::Serialize;

use crate::config_toml::AuthKeys;
use crate::serve::Mode;

pub use error::SecretsError;
pub use stored::{FILE, Stored, role_password};

/// When the CLI's legacy keys expire (2032); they are signed anew at every start,
/// and must come out the same.
const LEGACY_EXPIRY: i64 = 1_983_812_996;
/// Life of keys signed with a project's own signing key, as the CLI has it.
const SIGNED_EXPIRY_SECONDS: i64 = 10 * 365 * 24 * 3600;

/// What wins over the values of the data folder: variables, and settings of the project's `[auth]`.
const OVERRIDES: [(&str, &str); 7] = [
    ("JWT_SECRET", "jwt_secret"),
    ("JWT_KEYS", "signing_keys_path"),
    ("ANON_KEY", "anon_key"),
    ("SERVICE_ROLE_KEY", "service_role_key"),
    ("SUPABASE_PUBLISHABLE_KEY", "publishable_key"),
    ("SUPABASE_SECRET_KEY", "secret_key"),
    ("POSTGRES_PASSWORD", ""),
];

/// Everything secret that the services of one installation share.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// What clients send as `apikey`.
    pub api: ApiKeys,
    /// The HS256 secret.
    pub jwt_secret: Secret<String>,
    /// Private JWKs, a JSON array; the first one signs.
    pub jwt_keys: Secret<String>,
    /// Password of the login roles of the embedded database.
    pub database_password: Secret<String>,
    /// Credentials of the S3 protocol.
    pub s3: S3Credentials,
    /// What was made just now and is on no disk yet.
    generated: Option<Secret<Stored>>,
}

impl Secrets {
    /// Whether they were made just now and are on no disk yet.
    pub fn are_new(&self) -> bool {
        self.generated.is_some()
    }

    /// These if they are on disk, else the `new` ones that were looked at before.
    #[must_use]
    pub fn or_new(self, new: Self) -> Self {
        if self.are_new() { new } else { self }
    }

    /// Writes down what was generated, by the process that has the data folder and before anything
    /// is signed with it.
    pub fn keep(&self, data_dir: &std::path::Path) -> Result<(), SecretsError> {
        match &self.generated {
            Some(stored) => stored.expose().keep(data_dir),
            None => Ok(()),
        }
    }
}

/// Credentials of the S3 protocol.
#[derive(Clone, Debug)]
pub struct S3Credentials {
    /// Access key id.
    pub id: String,
    /// Secret access key.
    pub secret: Secret<String>,
    /// Region.
    pub region: String,
}

/// Where secrets come from.
pub struct Sources<'a> {
    /// Whether demo values may be used.
    pub mode: Mode,
    /// Where generated ones are kept.
    pub data_dir: &'a std::path::Path,
    /// What the project's `config.toml` sets.
    pub project: &'a AuthKeys,
    /// The environment.
    pub vars: &'a Vars,
    /// For the lifetimes of generated keys.
    pub clock: &'a Clock,
}

impl Sources<'_> {
    /// The secrets, generated if production has none yet; [`Secrets::keep`] then writes them down.
    pub fn load(&self) -> Result<Secrets, SecretsError> {
        let base = match self.mode {
            Mode::Development => demo::secrets()?,
            Mode::Production => match Stored::load(self.data_dir)? {
                Some(stored) => stored.into_secrets(),
                None => self.generate()?,
            },
        };
        let secrets = self.with_overrides(base)?;
        if self.mode == Mode::Production {
            self.refuse_demo_values(&secrets)?;
        }
        self.refuse_foreign_keys(&secrets)?;
        Ok(secrets)
    }

    fn generate(&self) -> Result<Secrets, SecretsError> {
        let stored = Stored::generate(self.clock)?;
        Ok(Secrets {
            generated: Some(Secret::new(stored.clone())),
            ..stored.into_secrets()
        })
    }

    /// A value from the environment, else from the project.
    ///
    /// `JWT_SECRET` (default: generated in production): the HS256 secret behind the legacy keys, in
    /// production at least 32 bytes.
    /// `JWT_KEYS` (default: generated in production): signing keys, a JSON array of JWKs.
    /// `ANON_KEY` (default: signed with the secret): the legacy public key.
    /// `SERVICE_ROLE_KEY` (default: signed with the secret): the legacy secret key.
    /// `SUPABASE_PUBLISHABLE_KEY` (default: generated in production): the public key.
    /// `SUPABASE_SECRET_KEY` (default: generated in production): the secret key, in production at
    /// least 32 bytes.
    /// `POSTGRES_PASSWORD` (default: generated in production): password of the database's roles.
    fn set(&self, name: &str, project: Option<&String>) -> Option<String> {
        let value = self.vars.get(name).map(str::to_owned);
        value.or_else(|| project.cloned())
    }

    /// Whoever has a token can try secrets on a machine of their own until one fits it, so length
    /// is all that protects.
    fn check_length(&self, name: &'static str, secret: &str) -> Result<(), SecretsError> {
        let least = match self.mode {
            // What the CLI asks for.
            Mode::Development => 16,
            // As long as the hash it keys (RFC 7518, 3.2).
            Mode::Production => 32,
        };
        if secret.len() < least {
            return Err(SecretsError::ShortSecret { name, least });
        }
        Ok(())
    }

    fn with_overrides(&self, mut secrets: Secrets) -> Result<Secrets, SecretsError> {
        let own_secret = self.set("JWT_SECRET", self.project.jwt_secret.as_ref());
        let own_keys = self.set("JWT_KEYS", self.project.signing_keys_json.as_ref());
        if let Some(secret) = &own_secret {
            self.check_length("JWT_SECRET", secret)?;
            secrets.jwt_secret = Secret::new(secret.clone());
        }
        if let Some(keys) = &own_keys {
            secrets.jwt_keys = Secret::new(keys.clone());
        }
        if own_secret.is_some() || own_keys.is_some() {
            let (anon, service_role) = self.legacy_pair(&secrets, own_keys.is_some())?;
            secrets.api.anon = anon;
            secrets.api.service_role = Secret::new(service_role);
        }
        let project = self.project;
        if let Some(key) = self.set("ANON_KEY", project.anon_key.as_ref()) {
            secrets.api.anon = key;
        }
        if let Some(key) = self.set("SERVICE_ROLE_KEY", project.service_role_key.as_ref()) {
            secrets.api.service_role = Secret::new(key);
        }
        if let Some(key) = self.set("SUPABASE_PUBLISHABLE_KEY", project.publishable_key.as_ref()) {
            secrets.api.publishable = key;
        }
        if let Some(key) = self.set("SUPABASE_SECRET_KEY", project.secret_key.as_ref()) {
            self.check_length("SUPABASE_SECRET_KEY", &key)?;
            secrets.api.secret = Secret::new(key);
        }
        if let Some(password) = self.set("POSTGRES_PASSWORD", None) {
            secrets.database_password = Secret::new(password);
        }
        Ok(secrets)
    }

    /// The legacy keys that go with a project's own secret or signing key.
    fn legacy_pair(
        &self,
        secrets: &Secrets,
        by_signing_key: bool,
    ) -> Result<(String, String), SecretsError> {
        let keyring = keyring(secrets)?;
        let sign = |role| {
            let exp = if by_signing_key {
                self.clock.now().as_second() + SIGNED_EXPIRY_SECONDS
            } else {
                LEGACY_EXPIRY
            };
            let claims = LegacyClaims {
                iss: "supabase-demo",
                role,
                exp,
            };
            if by_signing_key {
                keyring.sign(&claims)
            } else {
                keyring.sign_with_secret(&claims)
            }
        };
        Ok((sign("anon")?, sign("service_role")?))
    }

    /// Values everybody knows must not guard anything real.
    fn refuse_demo_values(&self, secrets: &Secrets) -> Result<(), SecretsError> {
        let demo = demo::secrets()?;
        let password = secrets.database_password.expose().as_str();
        let known = [
            ("JWT_SECRET", secrets.jwt_secret.expose() == DEMO_JWT_SECRET),
            (
                "JWT_SECRET",
                secrets.jwt_secret.expose() == demo::SELF_HOST_SECRET,
            ),
            (
                "JWT_KEYS",
                secrets.jwt_keys.expose().contains(demo::SIGNING_KEY_ID),
            ),
            ("ANON_KEY", secrets.api.anon == demo.api.anon),
            (
                "SERVICE_ROLE_KEY",
                secrets.api.service_role.expose() == demo.api.service_role.expose(),
            ),
            (
                "SUPABASE_PUBLISHABLE_KEY",
                secrets.api.publishable == demo.api.publishable,
            ),
            (
                "SUPABASE_SECRET_KEY",
                secrets.api.secret.expose() == demo.api.secret.expose(),
            ),
            (
                "POSTGRES_PASSWORD",
                demo::DEFAULT_PASSWORDS.contains(&password),
            ),
        ];
        let names: Vec<&'static str> = known
            .iter()
            // The legacy keys are demo keys as well where the secret they are signed with is.
            .filter(|(name, is_known)| *is_known && self.is_set(name))
            .map(|(name, _)| *name)
            .collect();
        if names.is_empty() {
            Ok(())
        } else {
            Err(SecretsError::DemoValues { names })
        }
    }

    /// A legacy key that nothing here verifies opens nothing, and a secret one given out as the public
    /// one everything.
    fn refuse_foreign_keys(&self, secrets: &Secrets) -> Result<(), SecretsError> {
        // What the services accept, as upstream's CLI configures them.
        let keyring = keyring(secrets)?.with_valid_methods(["HS256", "RS256", "ES256"]);
        let verifier = Verifier::new(Arc::new(keyring), self.clock.clone());
        let api = &secrets.api;
        for (name, key, role) in [
            ("ANON_KEY", &api.anon, "anon"),
            (
                "SERVICE_ROLE_KEY",
                api.service_role.expose(),
                "service_role",
            ),
        ] {
            if !self.is_set(name) {
                continue;
            }
            let reason = match verifier.verify(key) {
                Ok(token) if token.claims.role.as_deref() == Some(role) => continue,
                Ok(_) => format!("is a key of another role than {role}"),
                Err(JwtError::Expired) => "has expired".to_owned(),
                Err(_) => "is not signed with JWT_SECRET or one of JWT_KEYS".to_owned(),
            };
            return Err(SecretsError::ForeignKey { name, reason });
        }
        Ok(())
    }

    /// What somebody set in the environment or in the project, and who: no file of the data folder has it.
    pub fn set_elsewhere(&self) -> Vec<String> {
        let set = OVERRIDES.iter().filter(|(name, _)| self.is_set(name));
        let named = set.map(|(name, setting)| match self.vars.get(name) {
            Some(_) => format!("{name} of the environment"),
            None => format!("auth.{setting} of the project"),
        });
        named.collect()
    }

    /// Whether somebody set this one, in the environment or in the project.
    fn is_set(&self, name: &str) -> bool {
        let project = self.project;
        let by_project = match name {
            "JWT_SECRET" => project.jwt_secret.is_some(),
            "JWT_KEYS" => project.signing_keys_json.is_some(),
            "ANON_KEY" => project.anon_key.is_some(),
            "SERVICE_ROLE_KEY" => project.service_role_key.is_some(),
            "SUPABASE_PUBLISHABLE_KEY" => project.publishable_key.is_some(),
            "SUPABASE_SECRET_KEY" => project.secret_key.is_some(),
            _ => false,
        };
        by_project || self.vars.get(name).is_some()
    }
}

fn keyring(secrets: &Secrets) -> Result<Keyring, SecretsError> {
    Keyring::from_config(Some(&secrets.jwt_secret), Some(secrets.jwt_keys.expose()))
        .map_err(|source| SecretsError::SigningKeys { source })
}

/// Claims in the order the CLI writes them.
#[derive(Serialize)]
struct LegacyClaims {
    iss: &'static str,
    role: &'static str,
    exp: i64,
}

#[cfg(test)]
mod tests;
