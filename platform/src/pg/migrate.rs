//! Applies migrations: SQL files named `<version>_<name>.sql`, in order, each once.
//!
//! A schema that upstream also migrates keeps upstream's own bookkeeping table, so that a
//! database can move between upstream and Wildfire; the others are recorded, with a checksum, in
//! `_wildfire.migrations`.

use include_dir::Dir;
use sha2::{Digest, Sha256};

use super::{Client, DbError, Executor};

/// Serialises migrating processes; any constant will do.
const LOCK_KEY: i64 = 0x5769_6c64_6669_7265;

/// What is right for a request is too little for a migration, whoever runs it.
const UNLIMITED: &str = "-- pg_catalog.set_unlimited
set statement_timeout = 0;
set lock_timeout = 0";

const LIMITED_AGAIN: &str = "-- pg_catalog.reset_limits
reset statement_timeout;
reset lock_timeout";

/// Even "if not exists" takes rights that whoever finds everything in place need not have.
const CREATE_LEDGER: &str = "-- _wildfire.migrations.create
do $$
begin
  if to_regnamespace('_wildfire') is null then
    create schema _wildfire;
    revoke all on schema _wildfire from public;
  end if;
end
$$;
create table if not exists _wildfire.migrations (
  scope text not null,
  version text not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  primary key (scope, version)
);";

const LEDGER: &str = "-- _wildfire.migrations.ledger
select c.oid is not null as present, current_user::text as role,
  c.oid is null
    or has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as may_read,
  case
    when n.oid is null then has_database_privilege(current_database(), 'create')
    else has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create')
      and (c.oid is null or has_table_privilege(c.oid, 'insert'))
  end as may_write
from (values (0)) as always
left join pg_namespace as n on n.nspname = '_wildfire'
left join pg_class as c on c.relnamespace = n.oid and c.relname = 'migrations'";

const APPLIED: &str = "-- _wildfire.migrations.applied
select version, name, checksum from _wildfire.migrations where scope = $1";

const RECORD: &str = "-- _wildfire.migrations.record
insert into _wildfire.migrations (scope, version, name, checksum) values ($1, $2, $3, $4)";

/// The latest migration of a scope that is not among these.
const STRANGER: &str = "-- _wildfire.migrations.stranger
select scope || '/' || version || '_' || name as migration
from _wildfire.migrations
where scope <> all ($1::text[])
order by applied_at desc, version desc
limit 1";

/// Where a scope's applied versions are recorded.
#[derive(Clone, Copy, Debug)]
pub enum Ledger {
    /// In `_wildfire.migrations`, with a checksum: an edited file is refused, and so is a
    /// database that a newer version of this program has migrated.
    Own,
    /// In upstream's table of this name, which has a `version` column that the migrations
    /// themselves fill. Versions that are not known here are accepted: upstream only ever adds,
    /// and a database may come from an upstream that is ahead.
    Upstream(&'static str),
}

/// The migrations of one schema, embedded into the binary.
#[derive(Clone, Copy)]
pub struct Migrations {
    scope: &'static str,
    ledger: Ledger,
    files: &'static Dir<'static>,
}

/// One migration file.
struct Migration {
    version: String,
    name: String,
    sql: &'static str,
    checksum: String,
}

/// A migration that a database has.
struct Applied {
    version: String,
    name: String,
    /// Upstream keeps none.
    checksum: Option<String>,
}

impl Migrations {
    /// The migrations in `files` for the schema `scope`.
    pub const fn embedded(
        scope: &'static str,
        ledger: Ledger,
        files: &'static Dir<'static>,
    ) -> Self {
        Self {
            scope,
            ledger,
            files,
        }
    }

    /// Refuses a database that has migrations of scopes other than these: what another version of
    /// this program made, under whatever name, would stand beside what this one makes.
    pub async fn refuse_strangers(client: &Client, known: &[&Self]) -> Result<(), DbError> {
        let ledger = client.query_one(LEDGER, &[]).await?;
        if !super::column::<bool>(&ledger, "present")?
            || !super::column::<bool>(&ledger, "may_read")?
        {
            return Ok(());
        }
        let scopes: Vec<&str> = known.iter().map(|migrations| migrations.scope).collect();
        match client.query(STRANGER, &[&scopes]).await?.first() {
            None => Ok(()),
            Some(row) => Err(DbError::Migration(format!(
                "this database was made by another version of this program, whose migration {} \
                 this one does not know and cannot take over; start that version, or begin again \
                 with an empty database (`wildfire db reset` deletes the one in the data folder)",
                super::column::<String>(row, "migration")?
            ))),
        }
    }

    fn sorted(&self) -> Vec<Migration> {
        let mut migrations: Vec<_> = self
            .files
            .files()
            .filter_map(|file| {
                let stem = file.path().file_name()?.to_str()?.strip_suffix(".sql")?;
                let (version, name) = stem.split_once('_')?;
                let sql = file.contents_utf8()?;
                Some(Migration {
                    version: version.to_owned(),
                    name: name.to_owned(),
                    sql,
                    checksum: checksum(sql),
                })
            })
            .collect();
        migrations.sort_by(|a, b| a.version.cmp(&b.version));
        migrations
    }

    /// Applies what is missing and returns the names of the applied files.
    ///
    /// Each file runs in a transaction of its own, so a failure leaves the earlier ones in place
    /// and a second run goes on where the first stopped.
    pub async fn run(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        let missing = self.missing(client).await?;
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        client.batch(UNLIMITED).await?;
        client
            .execute("select pg_advisory_lock($1)", &[&LOCK_KEY])
            .await?;
        let outcome = self.run_locked(client).await;
        let unlocked = client
            .execute("select pg_advisory_unlock($1)", &[&LOCK_KEY])
            .await;
        // What went wrong first says more than that the connection was lost over it.
        let applied = outcome?;
        unlocked?;
        client.batch(LIMITED_AGAIN).await?;
        Ok(applied)
    }

    async fn run_locked(&self, client: &mut Client) -> Result<Vec<String>, DbError> {
        if matches!(self.ledger, Ledger::Own) {
            self.prepare_ledger(client).await?;
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
        let tx = client.begin();
        let work = async {
            tx.batch(migration.sql).await?;
            if matches!(self.ledger, Ledger::Own) {
                let Migration {
                    version,
                    name,
                    checksum,
                    ..
                } = migration;
                tx.execute(RECORD, &[&self.scope, version, name, checksum])
                    .await?;
            }
            Ok(())
        };
        match work.await {
            Ok(()) => tx.commit().await,
            Err(error) => {
                tx.rollback().await?;
                Err(error)
            }
        }
    }

    /// The migrations the database does not have yet.
    async fn missing(&self, client: &Client) -> Result<Vec<Migration>, DbError> {
        let applied = match self.ledger {
            Ledger::Own => self.applied_own(client).await?,
            Ledger::Upstream(table) => applied_upstream(client, table).await?,
        };
        let known = self.sorted();
        if matches!(self.ledger, Ledger::Own) {
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

    async fn prepare_ledger(&self, client: &Client) -> Result<(), DbError> {
        let ledger = client.query_one(LEDGER, &[]).await?;
        if !super::column::<bool>(&ledger, "may_write")? {
            return Err(self.not_ours(&super::column::<String>(&ledger, "role")?, "add to"));
        }
        if !super::column::<bool>(&ledger, "present")? {
            client.batch(CREATE_LEDGER).await?;
        }
        Ok(())
    }

    /// A service's own role, where the owner of the database keeps the schema.
    fn not_ours(&self, role: &str, what: &str) -> DbError {
        DbError::Migration(format!(
            "the role {role} may not {what} the schema _wildfire; run `wildfire migrate` of this \
             version as the role that owns the database, which applies migrations/{}",
            self.scope
        ))
    }

    async fn applied_own(&self, client: &Client) -> Result<Vec<Applied>, DbError> {
        let ledger = client.query_one(LEDGER, &[]).await?;
        if !super::column::<bool>(&ledger, "may_read")? {
            return Err(self.not_ours(&super::column::<String>(&ledger, "role")?, "read"));
        }
        if !super::column::<bool>(&ledger, "present")? {
            return Ok(Vec::new());
        }
        let rows = client.query(APPLIED, &[&self.scope]).await?;
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

async fn applied_upstream(client: &Client, table: &str) -> Result<Vec<Applied>, DbError> {
    let exists = "select to_regclass($1) is not null as present";
    let present: bool = super::column(&client.query_one(exists, &[&table]).await?, "present")?;
    if !present {
        return Ok(Vec::new());
    }
    let rows = client
        .query(
            &format!("select version::text as version from {table}"),
            &[],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: super::column(row, "version")?,
                name: String::new(),
                checksum: None,
            })
        })
        .collect()
}

fn checksum(sql: &str) -> String {
    hex::encode(Sha256::digest(sql.as_bytes()))
}
