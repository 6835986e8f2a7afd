//! `supabase/migrations/<version>_<name>.sql`, each once, in order of version
//! (`pkg/migration/apply.go` of the CLI).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use platform::pg::{Client, Database, Tx};

use super::script::Script;
use super::{Applied, Surroundings, Workdir, WorkdirError};
use crate::postgres::history;

struct Migration {
    version: String,
    name: String,
    path: PathBuf,
}

/// Applies the migrations the database does not have.
pub(super) async fn apply(
    workdir: &Workdir,
    database: &Database,
    surroundings: &Surroundings,
    applied: &mut Applied,
) -> Result<(), WorkdirError> {
    let local = list(&workdir.supabase.join("migrations"), applied)?;
    refuse_same_version(workdir, &local)?;
    let mut client = database.client().await?;
    client.prepare_to_migrate().await?;
    history::create(&client).await?;
    let recorded = history::versions(&client).await?;
    let missing: Vec<String> = recorded
        .iter()
        .filter(|version| !local.iter().any(|migration| migration.version == **version))
        .cloned()
        .collect();
    if !missing.is_empty() {
        applied.remarks.push(format!(
            "the database has migrations that are not in supabase/migrations: {}; bring the files \
             back, or start over with `wildfire db reset`",
            missing.join(", ")
        ));
    }
    for migration in local {
        if !recorded.contains(&migration.version) {
            let script = Script::read(workdir, &migration.path, surroundings)?;
            applied.files.push(script.file.clone());
            run(&script, &migration, &mut client).await?;
        }
    }
    Ok(())
}

async fn run(
    script: &Script<'_>,
    migration: &Migration,
    client: &mut Client,
) -> Result<(), WorkdirError> {
    let statements = script.statements();
    let texts: Vec<_> = statements.iter().map(|it| it.text).collect();
    let record = async |tx: &Tx<'_>| {
        history::record_version(tx, &migration.version, &migration.name, &texts).await
    };
    script.run(client, record).await
}

/// The record knows a migration by its version.
fn refuse_same_version(workdir: &Workdir, sorted: &[Migration]) -> Result<(), WorkdirError> {
    let Some(same) = sorted.windows(2).find(|it| it[0].version == it[1].version) else {
        return Ok(());
    };
    Err(WorkdirError::SameVersion {
        version: same[0].version.clone(),
        first: workdir.relative(&same[0].path),
        second: workdir.relative(&same[1].path),
    })
}

fn list(folder: &Path, applied: &mut Applied) -> Result<Vec<Migration>, WorkdirError> {
    let failed = |source| WorkdirError::Folder {
        path: folder.to_owned(),
        source,
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut migrations = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        match parse(&path) {
            Some(migration) => migrations.push(migration),
            None if path.is_file() => applied.remarks.push(format!(
                "{} is not named <version>_<name>.sql and was left out",
                path.display()
            )),
            None => {}
        }
    }
    migrations.sort_by(|a, b| (&a.version, &a.path).cmp(&(&b.version, &b.path)));
    Ok(migrations)
}

/// `^([0-9]+)_(.*)\.sql$`, as the CLI has it.
fn parse(path: &Path) -> Option<Migration> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".sql")?;
    let (version, name) = stem.split_once('_')?;
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Migration {
        version: version.to_owned(),
        name: name.to_owned(),
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbered_sql_files_are_migrations() {
        let parsed = parse(Path::new("a/20240101000000_create_things.sql")).unwrap();
        assert_eq!(
            (parsed.version.as_str(), parsed.name.as_str()),
            ("20240101000000", "create_things")
        );
        assert!(parse(Path::new("a/readme.md")).is_none());
        assert!(parse(Path::new("a/_x.sql")).is_none());
        assert!(parse(Path::new("a/v1_x.sql")).is_none());
    }
}
