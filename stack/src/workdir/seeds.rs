//! `supabase/roles.sql` and the files of `db.seed.sql_paths`, each applied once
//! and recorded with its hash (`pkg/migration/seed.go` of the CLI).

use std::path::PathBuf;

use platform::pg::{Database, Tx};
use sha2::{Digest, Sha256};

use super::script::Script;
use super::{Applied, Surroundings, Workdir, WorkdirError};
use crate::postgres::history;

/// The files that the patterns name, in the order of the patterns, sorted within one.
pub(super) fn expand(
    patterns: &[PathBuf],
    applied: &mut Applied,
) -> Result<Vec<PathBuf>, WorkdirError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for pattern in patterns {
        let text = pattern.to_string_lossy().into_owned();
        let matches = glob::glob(&text).map_err(|source| WorkdirError::Pattern {
            pattern: text.clone(),
            source,
        })?;
        let before = files.len();
        files.extend(matches.flatten().filter(|path| path.is_file()));
        let is_default = text.ends_with("supabase/seed.sql") || text.ends_with("./seed.sql");
        if files.len() == before && !is_default {
            applied
                .remarks
                .push(format!("no file matches the seed path {text}"));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    Ok(files)
}

/// Applies the files that were never applied.
pub(super) async fn apply(
    workdir: &Workdir,
    files: &[PathBuf],
    database: &Database,
    surroundings: &Surroundings,
    applied: &mut Applied,
) -> Result<(), WorkdirError> {
    if files.is_empty() {
        return Ok(());
    }
    let mut client = database.client().await?;
    client.prepare_to_migrate().await?;
    history::create(&client).await?;
    let recorded = history::seeds(&client).await?;
    for path in files {
        let script = Script::read(workdir, path, surroundings)?;
        let name = &script.file;
        let hash = hex::encode(Sha256::digest(script.text.as_str()));
        match recorded.get(name) {
            Some(known) if *known == hash => {}
            // Upstream: the CLI records the new hash without running the file, so
            // that nobody hears of it again. Here the remark stays until a reset.
            Some(_) => applied.remarks.push(format!(
                "{name} changed since it was applied; `wildfire db reset` applies it to an empty \
                 database"
            )),
            None => {
                applied.files.push(name.clone());
                let record = async |tx: &Tx<'_>| history::record_seed(tx, name, &hash).await;
                script.run(&mut client, record).await?;
            }
        }
    }
    Ok(())
}
