//! The tables the Supabase CLI keeps of what it applied
//! (`pkg/migration/history.go`): the same names, columns and values.

use std::collections::BTreeMap;

use platform::pg::{Client, DbError, Executor, Tx, column};

const CREATE: &str = "-- supabase_migrations.create
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (
  version text not null primary key
);
alter table supabase_migrations.schema_migrations
  add column if not exists version text,
  add column if not exists statements text[],
  add column if not exists name text;
create table if not exists supabase_migrations.seed_files (
  path text not null primary key,
  hash text not null
);";

const OTHER_SHAPE: &str = "-- supabase_migrations.schema_migrations.other_shape
select string_agg(format('%s is of type %s and not %s', expected.name, format_type(a.atttypid, null),
  expected.type), ', ') as reason
from (values ('version', 'text'), ('name', 'text'), ('statements', 'text[]')) as expected (name, type)
join pg_attribute as a on a.attname = expected.name
  and a.attrelid = to_regclass('supabase_migrations.schema_migrations') and not a.attisdropped
where format_type(a.atttypid, null) not in (expected.type, 'character varying')";

const VERSIONS: &str = "-- supabase_migrations.schema_migrations.versions
select version
from supabase_migrations.schema_migrations
order by version";

const RECORD_VERSION: &str = "-- supabase_migrations.schema_migrations.record
insert into supabase_migrations.schema_migrations (version, name, statements)
values ($1, $2, $3)";

const SEEDS: &str = "-- supabase_migrations.seed_files.hashes
select path, hash
from supabase_migrations.seed_files";

const RECORD_SEED: &str = "-- supabase_migrations.seed_files.record
insert into supabase_migrations.seed_files (path, hash)
values ($1, $2)
on conflict (path) do update set hash = excluded.hash";

/// Makes the tables if they are missing.
pub(crate) async fn create(client: &Client) -> Result<(), DbError> {
    client.batch(CREATE).await?;
    let shape = client.query_one(OTHER_SHAPE, &[]).await?;
    match column::<Option<String>>(&shape, "reason")? {
        None => Ok(()),
        Some(reason) => Err(DbError::Migration(format!(
            "The table supabase_migrations.schema_migrations is not the Supabase CLI's: {reason}. Give \
             it another name, such as: alter table supabase_migrations.schema_migrations rename to \
             other_migrations;"
        ))),
    }
}

/// Versions of applied migrations, in order.
pub(crate) async fn versions(client: &Client) -> Result<Vec<String>, DbError> {
    let rows = client.query(VERSIONS, &[]).await?;
    rows.iter().map(|row| column(row, "version")).collect()
}

/// Notes that a migration is applied.
pub(crate) async fn record_version(
    tx: &Tx<'_>,
    version: &str,
    name: &str,
    statements: &[&str],
) -> Result<(), DbError> {
    tx.execute(RECORD_VERSION, &[&version, &name, &statements])
        .await?;
    Ok(())
}

/// Paths of applied seed files with the hash of what was applied.
pub(crate) async fn seeds(client: &Client) -> Result<BTreeMap<String, String>, DbError> {
    let rows = client.query(SEEDS, &[]).await?;
    rows.iter()
        .map(|row| Ok((column(row, "path")?, column(row, "hash")?)))
        .collect()
}

/// Notes that a seed file is applied.
pub(crate) async fn record_seed(tx: &Tx<'_>, path: &str, hash: &str) -> Result<(), DbError> {
    tx.execute(RECORD_SEED, &[&path, &hash]).await?;
    Ok(())
}
