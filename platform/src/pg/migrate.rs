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

use std::time::Duration;

use include_dir::{Dir, File};
use sha2::{Digest, Sha256};

use super::{
    Client, Database, DatabaseConfig, DatabaseUrls, DbError, Executor, Ident, Params, Row, Sql,
};

/// The first line of a file that Postgres runs outside transactions only, such as one that makes an
/// index concurrently.
const OUTSIDE: &str = "-- outside a transaction";

/// What is right for a request is too little for a migration, whoever runs it.
const UNLIMITED: &str = "-- pg_catalog.set_unlimited
set statement_timeout = 0;
set lock_timeout = 0";

/// Asked again and again rather than waited for: a statement that waits holds a snapshot, and whoever
/// makes an index concurrently under this lock waits until older ones are gone.
const LOCK: &str = "-- pg_catalog.try_lock
select pg_try_advisory_lock($1) as locked";

/// How often it is asked.
const LOCK_PAUSE: Duration = Duration::from_millis(200);

/// How long another process is given. An index of a large table takes its time.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

const UNLOCK: &str = "-- pg_catalog.unlock
select pg_advisory_unlock($1)";

const LIMITED_AGAIN: &str = "-- pg_catalog.reset_limits
reset statement_timeout;
reset lock_timeout";

/// Names in these files are whole. What others could put where a search would find it first must not
/// run with the rights of whoever migrates.
const SEARCH_NOWHERE: &str = "-- pg_catalog.set_search_path
set search_path = ''";

const SEARCH_AGAIN: &str = "-- pg_catalog.reset_search_path
reset search_path";

/// The schema of a role's [`Ledger::Own`]. What the role leaves there nobody else runs; it belongs to
/// the one whose schemas the Supabase CLI leaves alone.
const CREATE_SCHEMA_FOR: &str = "-- {schema}.create_for
do $$
begin
  if exists (
    select from pg_roles
    where rolname = 'supabase_admin' and pg_has_role(current_user, oid, 'member')
  ) then
    create schema {schema} authorization supabase_admin;
  else
    create schema {schema};
  end if;
end
$$;
revoke all on schema {schema} from public;
grant all on schema {schema} to ";

/// The schema of a [`Ledger::Own`], and the table in it. Even "if not exists" takes rights that
/// whoever finds everything in place need not have.
const CREATE_SCHEMA: &str = "-- {schema}.create
create schema {schema};
revoke all on schema {schema} from public";

const CREATE_LEDGER: &str = "-- {schema}.migrations.create
create table if not exists {schema}.migrations (
  scope text not null,
  version text not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  primary key (scope, version)
);";

const LEDGER: &str = "-- migrations.ledger
select c.oid is not null as present, n.oid is not null as has_schema, current_user::text as role,
  c.oid is null
    or has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as may_read,
  case
    when n.oid is null then has_database_privilege(current_database(), 'create')
    else has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create')
      and (c.oid is null or has_table_privilege(c.oid, 'insert'))
  end as may_write
from (values (0)) as always
left join pg_namespace as n on n.nspname = $1
left join pg_class as c on c.relnamespace = n.oid and c.relname = 'migrations'";

/// Invalid indexes that a file names and that its owner may drop.
const BROKEN_OFF: &str = "-- pg_catalog.pg_index.broken_off
select n.nspname::text as schema, c.relname::text as name
from pg_index as i
join pg_class as c on c.oid = i.indexrelid
join pg_namespace as n on n.oid = c.relnamespace
where not i.indisvalid and pg_has_role(c.relowner, 'usage')
  and $1 ~ ('\\m' || c.relname || '\\M')";

const APPLIED: &str = "-- {schema}.migrations.applied
select version, name, checksum from {schema}.migrations where scope = $1";

const RECORD: &str = "-- {schema}.migrations.record
insert into {schema}.migrations (scope, version, name, checksum) values ($1, $2, $3, $4)";

/// The latest migration of a scope that is not among these.
const STRANGER: &str = "-- {schema}.migrations.stranger
select scope || '/' || version || '_' || name as migration
from {schema}.migrations
where scope <> all ($1::text[])
order by applied_at desc, version desc
limit 1";

fn in_schema(sql: &'static str, schema: &'static str) -> Result<Sql, DbError> {
    Ok(Sql::naming(sql, "{schema}", &Ident::quote(schema)?))
}

const EXISTS: &str = "-- pg_catalog.to_regclass
select to_regclass($1) is not null as present";

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

/// One migration file.
struct Migration {
    /// The version as a number.
    place: u64,
    /// The version as it is written.
    version: String,
    name: String,
    sql: &'static str,
    checksum: String,
}

/// A migration that a database has.
struct Applied {
    version: String,
    name: String,
    /// Upstream may keep none.
    checksum: Option<String>,
}

/// Refuses a database whose ledger in this schema has scopes other than these: what another version of
/// this program made, under whatever name, would stand beside what this one makes.
pub async fn refuse_strangers(
    client: &Client,
    schema: &'static str,
    scopes: &[&str],
) -> Result<(), DbError> {
    let ledger = client.query_one(LEDGER, &[&schema]).await?;
    if !super::column::<bool>(&ledger, "present")? || !super::column::<bool>(&ledger, "may_read")? {
        return Ok(());
    }
    let strangers = in_schema(STRANGER, schema)?;
    match client.query(strangers, &[&scopes]).await?.first() {
        None => Ok(()),
        Some(row) => Err(DbError::Migration(format!(
            "this database was made by another version of this program, whose migration {} \
             this one does not know and cannot take over; start that version, or begin again \
             with an empty database (`wildfire db reset` deletes the one in the data folder)",
            super::column::<String>(row, "migration")?
        ))),
    }
}

/// Brings parts of the database up to date, in this order, each as its owner; returns what ran. The
/// administrator's connection is `admin`, the others are made by `urls`.
pub async fn run_all(
    parts: impl IntoIterator<Item = &Migrations>,
    admin: &mut Client,
    urls: &DatabaseUrls,
) -> Result<Vec<String>, DbError> {
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
    /// The administrator makes the schema of a role's ledger, which the role need not be able to.
    async fn prepare_schema(&self, admin: &Client, role: &str) -> Result<(), DbError> {
        let Ledger::Own(schema) = self.ledger else {
            return Ok(());
        };
        let ledger = admin.query_one(LEDGER, &[&schema]).await?;
        if super::column::<bool>(&ledger, "has_schema")? {
            return Ok(());
        }
        let mut statements = in_schema(CREATE_SCHEMA_FOR, schema)?;
        statements.push(Ident::quote(role)?);
        admin.batch(statements).await
    }

    async fn run_logged_in(&self, urls: &DatabaseUrls, role: &str) -> Result<Vec<String>, DbError> {
        let mut config = DatabaseConfig::new(urls.of(role)?, "wildfire");
        config.max_connections = 1;
        config.statement_timeout = None;
        let database = Database::new(&config)?;
        let outcome = match database.client().await {
            Ok(mut client) => self.run(&mut client).await,
            Err(error) => Err(error),
        };
        database.close();
        outcome
    }

    /// All of them, in order. A file that would be left out or come at the wrong place is refused.
    fn sorted(&self) -> Result<Vec<Migration>, DbError> {
        let is_sql = |file: &&File<'_>| file.path().extension().is_some_and(|it| it == "sql");
        let files = self.files.files().filter(is_sql);
        let mut migrations = files
            .map(|file| self.read(file))
            .collect::<Result<Vec<_>, _>>()?;
        migrations.sort_by_key(|migration| migration.place);
        for pair in migrations.windows(2) {
            if let [one, other] = pair
                && one.place == other.place
            {
                return Err(DbError::Migration(format!(
                    "migrations/{0}: {1}_{2} and {3}_{4} have the same version",
                    self.scope, one.version, one.name, other.version, other.name
                )));
            }
        }
        Ok(migrations)
    }

    fn read(&self, file: &'static File<'static>) -> Result<Migration, DbError> {
        let read = || {
            let stem = file.path().file_stem()?.to_str()?;
            let (version, name) = stem.split_once('_')?;
            let is_number = version.bytes().all(|it| it.is_ascii_digit());
            let sql = file.contents_utf8()?;
            Some(Migration {
                place: is_number.then(|| version.parse().ok())??,
                version: version.to_owned(),
                name: name.to_owned(),
                sql,
                checksum: match self.ledger {
                    Ledger::Own(_) => checksum(sql),
                    Ledger::Upstream(table) => (table.checksum)(stem, sql),
                },
            })
        };
        read().ok_or_else(|| {
            DbError::Migration(format!(
                "migrations/{}: {} is not text called <version>_<name>.sql with a number as version",
                self.scope,
                file.path().display()
            ))
        })
    }

    /// Applies what is missing on this connection, whoever its owner is, and returns the names of
    /// the applied files.
    ///
    /// A failure leaves the earlier files in place, and a second run goes on where the first stopped.
    pub async fn run(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        client.batch(SEARCH_NOWHERE).await?;
        let outcome = self.run_and_look(client).await;
        let reset = client.batch(SEARCH_AGAIN).await;
        // What went wrong first says more than that the connection was lost over it.
        let applied = outcome?;
        reset?;
        Ok(applied)
    }

    async fn run_and_look(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
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
        client.batch(UNLIMITED).await?;
        self.take_turn(client).await?;
        let outcome = self.run_locked(client).await;
        let unlocked = client.execute(UNLOCK, &[&self.lock]).await;
        let applied = outcome?;
        unlocked?;
        client.batch(LIMITED_AGAIN).await?;
        Ok(applied)
    }

    /// Takes the lock, which no other process has then.
    async fn take_turn(&self, client: &Client) -> Result<(), DbError> {
        if self.lock(client).await? {
            return Ok(());
        }
        tracing::info!(
            part = self.scope,
            "Waiting for another process that migrates"
        );
        let turn = async {
            loop {
                tokio::time::sleep(LOCK_PAUSE).await;
                if self.lock(client).await? {
                    return Ok(());
                }
            }
        };
        let given_up = |_| {
            Err(DbError::Migration(format!(
                "another process has not finished migrations/{} for an hour",
                self.scope
            )))
        };
        let outcome = tokio::time::timeout(LONGEST_WAIT, turn).await;
        outcome.unwrap_or_else(given_up)
    }

    async fn lock(&self, client: &Client) -> Result<bool, DbError> {
        super::column(&client.query_one(LOCK, &[&self.lock]).await?, "locked")
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

    async fn record(&self, on: &impl Executor, migration: &Migration) -> Result<(), DbError> {
        let Migration {
            version,
            name,
            checksum,
            ..
        } = migration;
        match self.ledger {
            Ledger::Own(schema) => {
                let params: Params<'_> = &[&self.scope, version, name, checksum];
                on.execute(in_schema(RECORD, schema)?, params).await?;
            }
            Ledger::Upstream(Table {
                record: Some(record),
                ..
            }) => {
                let params: Params<'_> = &[version, name, checksum];
                let taken = (1..=3).rev().find(|n| record.contains(&format!("${n}")));
                on.execute(record, &params[..taken.unwrap_or_default()])
                    .await?;
            }
            Ledger::Upstream(_) => {}
        }
        Ok(())
    }

    /// The migrations the database does not have yet.
    async fn missing(&self, client: &Client) -> Result<Vec<Migration>, DbError> {
        let applied = match self.ledger {
            Ledger::Own(schema) => self.applied_own(client, schema).await?,
            Ledger::Upstream(table) => applied_upstream(client, &table).await?,
        };
        let known = self.sorted()?;
        if matches!(self.ledger, Ledger::Own(_)) {
            self.refuse_newer(&applied, &known)?;
        }
        let mut missing = Vec::new();
        for migration in known {
            match applied
                .iter()
                .find(|applied| applied.version == migration.version)
                .map(|applied| &applied.checksum)
            {
                None => missing.push(migration),
                Some(Some(checksum)) if *checksum != migration.checksum => {
                    return Err(DbError::Migration(format!(
                        "migration {}/{} was changed after it was applied to this database; \
                         restore the file or reset the database",
                        self.scope, migration.version
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(missing)
    }

    /// What a newer version changed, this one may spoil.
    fn refuse_newer(&self, applied: &[Applied], known: &[Migration]) -> Result<(), DbError> {
        let is_known = |applied: &&Applied| {
            known
                .iter()
                .any(|migration| migration.version == applied.version)
        };
        match applied.iter().find(|applied| !is_known(applied)) {
            None => Ok(()),
            Some(Applied { version, name, .. }) => Err(DbError::Migration(format!(
                "this database is newer than this program, which does not know its migration \
                 {}/{version}_{name}; start the newer version, or restore a backup from before \
                 the upgrade",
                self.scope
            ))),
        }
    }

    async fn prepare_ledger(&self, client: &Client, schema: &'static str) -> Result<(), DbError> {
        let ledger = client.query_one(LEDGER, &[&schema]).await?;
        if !super::column::<bool>(&ledger, "may_write")? {
            return Err(self.not_ours(&ledger, "add to", schema)?);
        }
        if !super::column::<bool>(&ledger, "present")? {
            if !super::column::<bool>(&ledger, "has_schema")? {
                client.batch(in_schema(CREATE_SCHEMA, schema)?).await?;
            }
            client.batch(in_schema(CREATE_LEDGER, schema)?).await?;
        }
        Ok(())
    }

    /// A service's own role, where the schema is somebody else's.
    fn not_ours(&self, ledger: &Row, what: &str, schema: &str) -> Result<DbError, DbError> {
        let role: String = super::column(ledger, "role")?;
        Ok(DbError::Migration(format!(
            "the role {role} may not {what} the schema {schema}; run `wildfire migrate` of this \
             version as the role that owns the database, which applies migrations/{}",
            self.scope
        )))
    }

    async fn applied_own(
        &self,
        client: &Client,
        schema: &'static str,
    ) -> Result<Vec<Applied>, DbError> {
        let ledger = client.query_one(LEDGER, &[&schema]).await?;
        if !super::column::<bool>(&ledger, "may_read")? {
            return Err(self.not_ours(&ledger, "read", schema)?);
        }
        if !super::column::<bool>(&ledger, "present")? {
            return Ok(Vec::new());
        }
        let applied = in_schema(APPLIED, schema)?;
        let rows = client.query(applied, &[&self.scope]).await?;
        rows.iter()
            .map(|row| {
                Ok(Applied {
                    version: super::column(row, "version")?,
                    name: super::column(row, "name")?,
                    checksum: super::column(row, "checksum")?,
                })
            })
            .collect()
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

async fn applied_upstream(client: &Client, table: &Table) -> Result<Vec<Applied>, DbError> {
    let row = client.query_one(EXISTS, &[&table.name]).await?;
    if !super::column::<bool>(&row, "present")? {
        return Ok(Vec::new());
    }
    let rows = client.query(table.applied, &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: super::column(row, "version")?,
                name: String::new(),
                checksum: super::column(row, "checksum")?,
            })
        })
        .collect()
}

fn checksum(sql: &str) -> String {
    hex::encode(Sha256::digest(sql.as_bytes()))
}
