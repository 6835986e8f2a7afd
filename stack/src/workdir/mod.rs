//! The project folder: what the Supabase CLI finds in `supabase/`, applied to the
//! database in the CLI's order and recorded in the CLI's tables, so that both can
//! be used on one project.

mod advice;
mod error;
mod lent;
mod migrations;
mod script;
mod seeds;
mod statements;
mod words;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use platform::pg::migrate::{Turns, lock};
use platform::pg::{Database, Sql};

use crate::config_toml::Project;
use crate::postgres::Server;

pub use error::WorkdirError;

/// The turns of instances that apply a project to one database.
const TURNS: Turns = Turns::new("the project's files", lock("wildfire.project"));

/// A project's files run in a session as its owner would log in to, on connections that are made for
/// migrations otherwise: what is recorded, and how, is not theirs to say.
const AS_OWNER: &str = "reset all; reset role";

/// Ends what a file set for its transaction, before it is recorded in it.
const AS_OURSELVES: &str = "reset role; set local search_path = pg_catalog, pg_temp";

/// A project folder.
#[derive(Clone, Debug)]
pub struct Workdir {
    /// The folder that holds `supabase/`.
    pub root: PathBuf,
    /// `<root>/supabase`, which may not exist.
    pub supabase: PathBuf,
}

/// What there is besides the files.
struct Surroundings {
    server: Server,
    /// Whether the administrator lends functions in place of what only a superuser may send.
    is_lent: bool,
}

/// What applying a project did.
#[derive(Debug, Default)]
pub struct Applied {
    /// Names of files that were run now.
    pub files: Vec<String>,
    /// Remarks for whoever started it.
    pub remarks: Vec<String>,
}

impl Workdir {
    /// The folder named, else the nearest one at or above `current` that has a
    /// `supabase/config.toml`, else `current` itself.
    pub fn locate(named: Option<&Path>, current: &Path) -> Result<Self, WorkdirError> {
        let root = match named {
            Some(folder) => folder,
            None => current
                .ancestors()
                .find(|folder| folder.join("supabase/config.toml").is_file())
                .unwrap_or(current),
        };
        let failed = |source| WorkdirError::NoFolder {
            path: root.to_owned(),
            source,
        };
        let root = fs::canonicalize(root).map_err(failed)?;
        fs::read_dir(&root).map_err(failed)?;
        let supabase = root.join("supabase");
        Ok(Self { root, supabase })
    }

    /// Applies `roles.sql`, the migrations and the seed files the database does not
    /// have yet. Another instance that starts on the same database waits until this
    /// one is done.
    pub async fn apply(
        &self,
        project: &Project,
        database: &Database,
        server: Server,
    ) -> Result<Applied, WorkdirError> {
        let guard = database.client().await?;
        TURNS.take(&guard).await?;
        let is_lent = lent::is_lent(&guard).await?;
        let surroundings = Surroundings { server, is_lent };
        let outcome = self.apply_alone(project, database, &surroundings).await;
        let unlocked = TURNS.give(&guard).await;
        let applied = outcome?;
        unlocked?;
        Ok(applied)
    }

    async fn apply_alone(
        &self,
        project: &Project,
        database: &Database,
        surroundings: &Surroundings,
    ) -> Result<Applied, WorkdirError> {
        let mut applied = Applied::default();
        let roles = self.supabase.join("roles.sql");
        if roles.is_file() {
            seeds::apply(self, &[roles], database, surroundings, &mut applied).await?;
        }
        if project.db.migrations_enabled {
            migrations::apply(self, database, surroundings, &mut applied).await?;
        }
        let seed_files = seeds::expand(&project.db.seed_paths, &mut applied)?;
        seeds::apply(self, &seed_files, database, surroundings, &mut applied).await?;
        Ok(applied)
    }

    /// How the CLI names a file of the project: relative, with forward slashes.
    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}

/// The SQL of a file, which is told by its name in the project.
fn read(path: &Path, file: &str) -> Result<Sql, WorkdirError> {
    let not_sql = |(line, reason)| WorkdirError::NotSql {
        file: file.to_owned(),
        line,
        reason,
    };
    match Sql::read_file(path) {
        Ok(sql) => match statements::not_sql(sql.as_str()) {
            None => Ok(sql),
            Some(found) => Err(not_sql(found)),
        },
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(not_sql((
            line_of_strange_bytes(path),
            "the text is not UTF-8; save it as such",
        ))),
        Err(source) => Err(WorkdirError::Folder {
            path: path.to_owned(),
            source,
        }),
    }
}

fn line_of_strange_bytes(path: &Path) -> usize {
    let bytes = fs::read(path).unwrap_or_default();
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    1 + text.matches('\n').count()
}
