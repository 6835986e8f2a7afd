//! `supabase/config.toml`: the project's settings in the Supabase CLI's format, with the CLI's
//! defaults, overrides and mapping to gotrue (`apps/cli-go/pkg/config`). Sections of services this
//! build does not contain are accepted, so that a project moves here unchanged.

mod auth;
mod database;
mod document;
mod dotenv;
mod error;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use platform::env::Vars;

pub use auth::{AuthKeys, GotrueContext, Var};
pub use database::{Api, Db, Mailbox};
use document::Table;
pub use error::{ConfigError, Problem, Warning};
use reader::Reader;

/// Sections whose services are not part of this build.
const UNBUILT: &[&str] = &[
    "realtime",
    "studio",
    "storage",
    "edge_runtime",
    "functions",
    "analytics",
    "experimental",
];

/// A project's settings.
#[derive(Debug)]
pub struct Project {
    /// The project's name: `project_id`, or the name of its folder.
    pub id: String,
    /// `[api]`.
    pub api: Api,
    /// `[db]`.
    pub db: Db,
    /// `[local_smtp]`.
    pub mailbox: Mailbox,
    /// Secrets and keys the project brings itself.
    pub keys: AuthKeys,
    /// Remarks to show at the start.
    pub warnings: Vec<Warning>,
    /// Variables of the project's `.env` files.
    pub dotenv: BTreeMap<String, String>,
    auth: auth::Auth,
}

impl Project {
    /// The environment gotrue runs with.
    pub fn gotrue_vars(&self, context: &GotrueContext<'_>) -> Vec<Var> {
        self.auth.gotrue_vars(context)
    }
}

/// Reads `<supabase_dir>/config.toml`; without the file every setting has its default.
pub fn load(supabase_dir: &Path, vars: &Vars) -> Result<Project, ConfigError> {
    let process = |name: &str| vars.get(name).map(str::to_owned);
    let environment = process("SUPABASE_ENV").unwrap_or_else(|| "development".to_owned());
    let dotenv = dotenv::load(supabase_dir, &environment)?;
    let lookup = |name: &str| process(name).or_else(|| dotenv.get(name).cloned());
    let path = supabase_dir.join("config.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    let project = parse(&text, supabase_dir, &lookup);
    let project = project.map_err(|problems| ConfigError::Invalid { path, problems })?;
    Ok(Project { dotenv, ..project })
}

fn parse(
    text: &str,
    supabase_dir: &Path,
    lookup: reader::Lookup<'_>,
) -> Result<Project, Vec<Problem>> {
    let root: Table = document::parse(text).map_err(|problem| vec![problem])?;
    let reader = Reader::new(&root, lookup);
    let id = reader
        .text("project_id")
        .unwrap_or_else(|| folder_name(supabase_dir));
    reader.accept_all("remotes");
    note_unbuilt(&reader);
    let api = database::api(&reader);
    let db = database::db(&reader, supabase_dir);
    let mailbox = database::mailbox(&reader);
    let mut auth = auth::read(&reader, supabase_dir);
    let warnings = reader.finish()?;
    let keys = std::mem::take(&mut auth.keys);
    Ok(Project {
        id,
        api,
        db,
        mailbox,
        keys,
        warnings,
        dotenv: BTreeMap::new(),
        auth,
    })
}

/// The name of the folder that holds `supabase/`.
fn folder_name(supabase_dir: &Path) -> String {
    let absolute =
        std::path::absolute(supabase_dir).unwrap_or_else(|_| PathBuf::from(supabase_dir));
    let parent = absolute.parent().and_then(Path::file_name);
    parent.map_or_else(
        || "supabase".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// One remark for all sections of services that are not built.
fn note_unbuilt(reader: &Reader<'_>) {
    let present: Vec<&str> = UNBUILT
        .iter()
        .copied()
        .inspect(|section| reader.accept_all(section))
        .filter(|section| reader.has(section) && reader.bool(&format!("{section}.enabled"), true))
        .collect();
    if !present.is_empty() {
        let message = format!(
            "not part of this build yet, so without effect: {}",
            present.join(", ")
        );
        reader.warn(None, &message);
    }
}
