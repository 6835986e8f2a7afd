//! Generated secrets, kept in `<data-dir>/secrets.json`, readable by their owner only.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use platform::api_keys::ApiKeys;
use platform::clock::Clock;
use platform::env::Secret;
use platform::jwt::{Keyring, generate_es256_jwk};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{S3Credentials, Secrets, SecretsError};

/// Members of a key that only signing needs.
const PRIVATE: [&str; 6] = ["d", "p", "q", "dp", "dq", "qi"];

/// How many signing keys of before are kept to verify with.
pub(super) const KEPT: usize = 3;

/// The file's name in the data folder.
pub const FILE: &str = "secrets.json";

/// The content of the file. Names are those of upstream's `.env`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Stored {
    jwt_secret: String,
    /// A JSON array of private JWKs, as text.
    jwt_keys: String,
    anon_key: String,
    service_role_key: String,
    supabase_publishable_key: String,
    supabase_secret_key: String,
    postgres_password: String,
    s3_protocol_access_key_id: String,
    s3_protocol_access_key_secret: String,
}

impl Stored {
    /// New, random secrets.
    pub fn generate(clock: &Clock) -> Result<Self, SecretsError> {
        let jwt_secret = random_hex::<32>();
        let key = generate_es256_jwk(&uuid::Uuid::new_v4().to_string())?;
        let jwt_keys = serde_json::Value::Array(vec![key]).to_string();
        let secret = Secret::new(jwt_secret.clone());
        let keyring = Keyring::from_config(Some(&secret), Some(&jwt_keys))?;
        let api = ApiKeys::generate(&keyring, clock.now().as_second())?;
        Ok(Self {
            jwt_secret,
            jwt_keys,
            anon_key: api.anon,
            service_role_key: api.service_role.expose().clone(),
            supabase_publishable_key: api.publishable,
            supabase_secret_key: api.secret.expose().clone(),
            postgres_password: random_hex::<24>(),
            s3_protocol_access_key_id: random_hex::<16>(),
            s3_protocol_access_key_secret: random_hex::<32>(),
        })
    }

    /// Puts a new signing key in front. The ones before it, at most [`KEPT`], go on verifying what they
    /// signed, unless they are to be forgotten; says how many do.
    pub fn rotate(&mut self, forget: bool) -> Result<usize, SecretsError> {
        let new = generate_es256_jwk(&uuid::Uuid::new_v4().to_string())?;
        let earlier = match serde_json::from_str(&self.jwt_keys) {
            Ok(Value::Array(keys)) if !forget => keys,
            _ => Vec::new(),
        };
        let mut keys = vec![new];
        keys.extend(earlier.into_iter().take(KEPT).map(|mut key| {
            if let Some(members) = key.as_object_mut() {
                // What cannot be found cannot be stolen.
                members.retain(|name, _| !PRIVATE.contains(&name.as_str()));
                members.insert("key_ops".to_owned(), serde_json::json!(["verify"]));
            }
            key
        }));
        let kept = keys.len() - 1;
        self.jwt_keys = Value::Array(keys).to_string();
        Ok(kept)
    }

    /// [`rotate`](Self::rotate) of those on disk, if there are any; two at once take turns.
    pub fn rotate_kept(data_dir: &Path, forget: bool) -> Result<Option<usize>, SecretsError> {
        let path = data_dir.join(FILE);
        let failed = |source| SecretsError::File {
            path: path.clone(),
            source,
        };
        if !path.exists() {
            return Ok(None);
        }
        // Of the folder, as the file changes with each turn; a running installation has another lock.
        let turn = File::open(data_dir).map_err(failed)?;
        turn.lock().map_err(failed)?;
        let Some(mut stored) = Self::load(data_dir)? else {
            return Ok(None);
        };
        let kept = stored.rotate(forget)?;
        stored.write(&path).map_err(failed)?;
        Ok(Some(kept))
    }

    /// What the file holds, if there is one.
    pub fn load(data_dir: &Path) -> Result<Option<Self>, SecretsError> {
        let path = data_dir.join(FILE);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|source| SecretsError::Damaged { path, source }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SecretsError::File { path, source }),
        }
    }

    /// Makes the file. Secrets that another process has written since are left alone.
    pub fn keep(&self, data_dir: &Path) -> Result<(), SecretsError> {
        let path = data_dir.join(FILE);
        let written = if path.exists() {
            Err(ErrorKind::AlreadyExists.into())
        } else {
            self.write(&path)
        };
        written.map_err(|source| SecretsError::File { path, source })
    }

    /// On disk before anything is signed with it: a crash must not lose a key that
    /// is already in use.
    fn write(&self, path: &Path) -> std::io::Result<()> {
        let partial = path.with_extension("json.partial");
        let mut file = File::options()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&partial)?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Names and values, as for an `.env` file.
    pub fn lines(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("JWT_SECRET", &self.jwt_secret),
            ("JWT_KEYS", &self.jwt_keys),
            ("ANON_KEY", &self.anon_key),
            ("SERVICE_ROLE_KEY", &self.service_role_key),
            ("SUPABASE_PUBLISHABLE_KEY", &self.supabase_publishable_key),
            ("SUPABASE_SECRET_KEY", &self.supabase_secret_key),
            ("POSTGRES_PASSWORD", &self.postgres_password),
            ("S3_PROTOCOL_ACCESS_KEY_ID", &self.s3_protocol_access_key_id),
            (
                "S3_PROTOCOL_ACCESS_KEY_SECRET",
                &self.s3_protocol_access_key_secret,
            ),
        ]
    }

    /// As the services use them.
    pub(super) fn into_secrets(self) -> Secrets {
        Secrets {
            api: ApiKeys {
                anon: self.anon_key,
                service_role: Secret::new(self.service_role_key),
                publishable: self.supabase_publishable_key,
                secret: Secret::new(self.supabase_secret_key),
            },
            jwt_secret: Secret::new(self.jwt_secret),
            jwt_keys: Secret::new(self.jwt_keys),
            database_password: Secret::new(self.postgres_password),
            s3: S3Credentials {
                id: self.s3_protocol_access_key_id,
                secret: Secret::new(self.s3_protocol_access_key_secret),
                region: "local".to_owned(),
            },
            generated: None,
        }
    }
}

/// The password of the service roles in a database somebody brought, made once.
pub fn role_password(data_dir: &Path) -> Result<Secret<String>, SecretsError> {
    let path = data_dir.join("role-password");
    let failed = |source| SecretsError::File {
        path: path.clone(),
        source,
    };
    match fs::read_to_string(&path) {
        Ok(password) => Ok(Secret::new(password.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let password = random_hex::<24>();
            let mut file = File::options()
                .create_new(true)
                .write(true)
                .mode(0o600)
                .open(&path)
                .map_err(failed)?;
            file.write_all(password.as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(failed)?;
            Ok(Secret::new(password))
        }
        Err(error) => Err(failed(error)),
    }
}

fn random_hex<const N: usize>() -> String {
    hex::encode(platform::keys::random::<N>())
}
