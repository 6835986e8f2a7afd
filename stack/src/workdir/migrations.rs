//! `supabase/migrations/<version>_<name>.sql`, each once, in order of version
//! (`pkg/migration/apply.go` of the CLI).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use platform::pg::{Client, Database, DbError, Tx};

use super::statements::Statement;
use super::{AS_OURSELVES, AS_OWNER, Applied, Workdir, WorkdirError, read, statements};
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
            applied.files.push(workdir.relative(&migration.path));
            run(workdir, &migration, &mut client).await?;
        }
    }
    Ok(())
}

async fn run(
    workdir: &Workdir,
    migration: &Migration,
    client: &mut Client,
) -> Result<(), WorkdirError> {
    let file = workdir.relative(&migration.path);
    let sql = read(&migration.path, &file)?;
    client.batch(AS_OWNER).await?;
    let statements = statements::split(sql.as_str());
    let done = AtomicUsize::new(0);
    let failed = |error| {
        let done = done.load(Ordering::Relaxed);
        WorkdirError::in_file(&file, sql.as_str(), done, error)
    };
    if let [alone] = statements[..]
        && alone.runs_alone()
    {
        client.batch(&sql).await.map_err(&failed)?;
        let tx = client.begin();
        record(&tx, migration, &statements).await?;
        return Ok(tx.commit().await?);
    }
    let tx = client.begin();
    let work = async {
        tx.script(&sql, &done).await?;
        record(&tx, migration, &statements).await
    };
    match work.await {
        Ok(()) => tx.commit().await.map_err(&failed),
        Err(error) => {
            tx.rollback().await?;
            Err(failed(error))
        }
    }
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

async fn record(
    tx: &Tx<'_>,
    migration: &Migration,
    statements: &[Statement<'_>],
) -> Result<(), DbError> {
    tx.batch(AS_OURSELVES).await?;
    let texts: Vec<_> = statements.iter().map(|it| it.text).collect();
    history::record_version(tx, &migration.version, &migration.name, &texts).await
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
