//! What `serve` is given: everything the commands found out before the first request.

use std::path::PathBuf;
use std::sync::Arc;

use platform::env::Vars;
use platform::service::Definition;

use super::listeners::Listeners;
use crate::config_toml::Project;

/// For whom this installation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One developer's machine: well-known keys, loopback only, mail in the mailbox.
    Development,
    /// Strangers' data: its own secrets, a public address, real mail.
    Production,
}

/// The keys and secrets of this installation.
#[derive(Clone)]
pub struct ProjectKeys {
    /// The legacy anon key, a JWT.
    pub anon: String,
    /// The legacy `service_role` key, a JWT.
    pub service_role: String,
    /// `sb_publishable_…`.
    pub publishable: String,
    /// `sb_secret_…`.
    pub secret: String,
    /// The HS256 secret.
    pub jwt_secret: String,
    /// Private JWKs, a JSON array; the one whose `key_ops` has `sign` signs.
    pub jwt_keys: String,
    /// What the publishable key becomes inside; the legacy anon key unless set.
    pub anon_asymmetric: Option<String>,
    /// What the secret key becomes inside; the legacy `service_role` key unless set.
    pub service_role_asymmetric: Option<String>,
}

impl std::fmt::Debug for ProjectKeys {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ProjectKeys").finish_non_exhaustive()
    }
}

/// Everything serving needs.
#[derive(Debug)]
pub struct ServeContext {
    /// For whom.
    pub mode: Mode,
    /// What is served.
    pub services: Vec<&'static Definition>,
    /// The project's folder.
    pub workdir: PathBuf,
    /// Where mail and other files are kept.
    pub data_dir: PathBuf,
    /// The project's settings.
    pub project: Arc<Project>,
    /// Keys and secrets.
    pub keys: ProjectKeys,
    /// The open ports.
    pub listeners: Listeners,
    /// Where users reach this installation, such as `https://prompts.example.com`.
    pub public_url: Option<String>,
    /// The environment of the process; what is set there explicitly wins over `config.toml`.
    pub vars: Vars,
}
