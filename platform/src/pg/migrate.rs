//! Applies migrations: SQL files named `<version>_<name>.sql`, in order of their versions, which are
//! numbers, each once.
//!
//! Every part of the database has its own ledger, lock and owner. A schema that upstream also migrates
//! keeps upstream's own bookkeeping table, so that a database can move between upstream and Wildfire;
//! the others are recorded, with a checksum, in a table `migrations` beside what they make.
//!
//! A file runs in a transaction of its own. One whose first line is `-- outside a transaction` does
//! not; it holds a single statement that may be run twice, since nobody knows whether it ran if the
//! process ends before it is recorded. An index that it names and that is invalid, because making it was
//! broken off, is dropped first: `create index concurrently if not exists` would leave it as it is.
//!
//! Two processes that start together wait for each other, part by part.
//!
//! All of it happens on connections [made for it](DatabaseConfig::for_migrations), on which names that are
//! not whole find nothing: what others could put where a search would find it first must not run with
//! the rights of whoever migrates. The path is set when such a connection opens, before anything is asked
//! on it.

mod files;
mod ledger;
mod turns;

use include_dir::Dir;

use super::{Client, Database, DatabaseConfig, DatabaseUrls, DbError, Executor, Ident, Sql};
use files::Migration;
pub use ledger::refuse_strangers;
pub use turns::Turns;

/// The first line of a file that Postgres runs outside transactions only, such as one that makes an
/// index concurrently.
const OUTSIDE: &str = "-- outside a transaction";

/// Of the tables that the file makes them on, and of no others: a project may have one of that name.
const BROKEN_OFF: &str = "-- pg_catalog.pg_index.broken_off
select n.nspname::text as schema, c.relname::text as name
from pg_index as i
join pg_class as c on c.oid = i.indexrelid
join pg_class as t on t.oid = i.indrelid
join pg_namespace as n on n.oid = c.relnamespace
where not i.indisvalid and pg_has_role(c.relowner, 'usage')
  and strpos(
    regexp_replace($1, '\\s+', ' ', 'g'),
    format(' %I on %I.%I ', c.relname, n.nspname, t.relname)
  ) > 0
  and not exists (
    select from pg_stat_progress_create_index as making
    where making.index_relid = i.indexrelid
  )";

/// Where the applied versions of a part are recorded.
#[derive(Clone, Copy)]
pub enum Ledger {
    /// In the table `migrations` of this schema, with a checksum: an edited file is refused, and so
    /// is a database that a newer version of this program has migrated.
    Own(&'static str),
    /// In upstream's table. Versions that are not known here are accepted: upstream only ever adds,
    /// and a database may come from an upstream that is ahead.
    Upstream(Table),
}

/// A ledger as upstream keeps it, whatever its columns are.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name with its schema.
    pub name: &'static str,
    /// Reads `version` and `checksum` of what is applied, both as text and the second maybe null.
    /// Versions are written as in the files' names.
    pub applied: &'static str,
    /// Records a file: takes of `$1` version, `$2` name and `$3` checksum, all text, as many as there
    /// are. None where the files record themselves.
    pub record: Option<&'static str>,
    /// The checksum of a file by its name and content, as upstream makes it.
    pub checksum: fn(&str, &str) -> String,
}

/// Who applies the files of a part, and so owns what they make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Whoever administers the database: a superuser, or the role that owns it. Such files touch
    /// nothing that another role owns: its triggers and views would run with these rights.
    Administrator,
    /// This role, in a session that logs in as it. To act as it for a while is not enough: what it
    /// left behind could put the role off again.
    Role(&'static str),
}

/// A key for [`Migrations::lock`], made from a name.
pub const fn lock(name: &str) -> i64 {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < name.len() {
        hash = (hash ^ name.as_bytes()[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash.cast_signed()
}

/// The migrations of one part of the database, embedded into the binary.
#[derive(Clone, Copy)]
pub struct Migrations {
    /// What they are of.
    pub scope: &'static str,
    /// The files.
    pub files: &'static Dir<'static>,
    /// Where it is recorded which of them were applied.
    pub ledger: Ledger,
    /// The advisory lock under which they are applied: whoever else applies them takes the same.
    pub lock: i64,
    /// Who applies them.
    pub owner: Owner,
    /// What their owner runs after them at every start; each `warning` it returns goes to the log.
    pub each_start: Option<&'static str>,
}

/// Brings parts of the database up to date, in this order, each as its owner; returns what ran. The
/// administrator's connection is `admin`, the others are made by `urls`.
pub async fn run_all(
    parts: impl IntoIterator<Item = &Migrations>,
    admin: &mut Client,
    urls: &DatabaseUrls,
) -> Result<Vec<String>, DbError> {
    admin.refuse_to_search().await?;
    let mut applied = Vec::new();
    for part in parts {
        applied.extend(match part.owner {
            Owner::Administrator => part.run(admin).await?,
            Owner::Role(role) => {
                part.prepare_schema(admin, role).await?;
                part.run_logged_in(urls, role).await?
            }
        });
    }
    Ok(applied)
}

impl Migrations {
    async fn run_logged_in(&self, urls: &DatabaseUrls, role: &str) -> Result<Vec<String>, DbError> {
        let config = DatabaseConfig::new(urls.of(role)?, "wildfire").for_migrations();
        let database = Database::new(&config)?;
        let outcome = match database.client().await {
            Ok(mut client) => self.run(&mut client).await,
            Err(error) => Err(error),
        };
        database.close();
        outcome
    }

    /// Applies what is missing on this connection, whoever its owner is, and returns the names of
    /// the applied files.
    ///
    /// A failure leaves the earlier files in place, and a second run goes on where the first stopped.
    pub async fn run(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        client.refuse_to_search().await?;
        let applied = self.run_missing(client).await?;
        if let Some(each_start) = self.each_start {
            for row in client.query(each_start, &[]).await? {
                tracing::warn!("{}", super::column::<String>(&row, "warning")?);
            }
        }
        Ok(applied)
    }

    async fn run_missing(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        if self.missing(client).await?.is_empty() {
            return Ok(Vec::new());
        }
        self.turns().take(client).await?;
        let outcome = self.run_locked(client).await;
        let unlocked = self.turns().give(client).await;
        let applied = outcome?;
        unlocked?;
        Ok(applied)
    }

    /// The turns of processes that apply this part.
    pub(super) fn turns(&self) -> Turns {
        Turns::new(self.scope, self.lock)
    }

    async fn run_locked(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        if let Ledger::Own(schema) = self.ledger {
            self.prepare_ledger(client, schema).await?;
        }
        let mut applied = Vec::new();
        for migration in self.missing(client).await? {
            let name = format!("{}/{}_{}", self.scope, migration.version, migration.name);
            self.apply(client, &migration)
                .await
                .map_err(|error| DbError::Migration(format!("migration {name} failed: {error}")))?;
            applied.push(name);
        }
        Ok(applied)
    }

    async fn apply(&self, client: &mut Client, migration: &Migration) -> Result<(), DbError> {
        if migration.sql.lines().next() == Some(OUTSIDE) {
            drop_broken_off(client, migration.sql).await?;
            client.batch(migration.sql).await?;
            return self.record(client, migration).await;
        }
        let tx = client.begin();
        let work = async {
            tx.batch(migration.sql).await?;
            self.record(&tx, migration).await
        };
        match work.await {
            Ok(()) => tx.commit().await,
            Err(error) => {
                tx.rollback().await?;
                Err(error)
            }
        }
    }
}

async fn drop_broken_off(client: &Client, sql: &str) -> Result<(), DbError> {
    for index in client.query(BROKEN_OFF, &[&sql]).await? {
        let schema = Ident::quote(super::column(&index, "schema")?)?;
        let name = Ident::quote(super::column(&index, "name")?)?;
        let mut statement = Sql::new("drop index concurrently if exists ");
        statement.push(schema.dot(&name));
        client.batch(statement).await?;
    }
    Ok(())
}
