//! Where it is recorded what was applied, and what is missing by it.

use super::files::Migration;
use super::{Ledger, Migrations, Table};
use crate::pg::{Client, DbError, Executor, Ident, Params, Row, Sql, column};

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
    client.refuse_to_search().await?;
    let ledger = client.query_one(LEDGER, &[&schema]).await?;
    if !column::<bool>(&ledger, "present")? || !column::<bool>(&ledger, "may_read")? {
        return Ok(());
    }
    let strangers = in_schema(STRANGER, schema)?;
    match client.query(strangers, &[&scopes]).await?.first() {
        None => Ok(()),
        Some(row) => Err(DbError::Migration(format!(
            "this database was made by another version of this program, whose migration {} \
             this one does not know and cannot take over; start that version, or begin again \
             with an empty database (`wildfire db reset` deletes the one in the data folder)",
            column::<String>(row, "migration")?
        ))),
    }
}

async fn has_schema(client: &Client, schema: &str) -> Result<bool, DbError> {
    column(&client.query_one(LEDGER, &[&schema]).await?, "has_schema")
}

impl Migrations {
    /// The administrator makes the schema of a role's ledger, which the role need not be able to.
    pub(super) async fn prepare_schema(&self, admin: &Client, role: &str) -> Result<(), DbError> {
        let Ledger::Own(schema) = self.ledger else {
            return Ok(());
        };
        if has_schema(admin, schema).await? {
            return Ok(());
        }
        // Another process may be about to make it.
        self.turns().take(admin).await?;
        let made = async {
            if has_schema(admin, schema).await? {
                return Ok(());
            }
            let mut statements = in_schema(CREATE_SCHEMA_FOR, schema)?;
            statements.push(Ident::quote(role)?);
            admin.batch(statements).await
        };
        let made = made.await;
        self.turns().give(admin).await?;
        made
    }

    pub(super) async fn record(
        &self,
        on: &impl Executor,
        migration: &Migration,
    ) -> Result<(), DbError> {
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
    pub(super) async fn missing(&self, client: &Client) -> Result<Vec<Migration>, DbError> {
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

    pub(super) async fn prepare_ledger(
        &self,
        client: &Client,
        schema: &'static str,
    ) -> Result<(), DbError> {
        let ledger = client.query_one(LEDGER, &[&schema]).await?;
        if !column::<bool>(&ledger, "may_write")? {
            return Err(self.not_ours(&ledger, "add to", schema)?);
        }
        if !column::<bool>(&ledger, "present")? {
            if !column::<bool>(&ledger, "has_schema")? {
                client.batch(in_schema(CREATE_SCHEMA, schema)?).await?;
            }
            client.batch(in_schema(CREATE_LEDGER, schema)?).await?;
        }
        Ok(())
    }

    /// A service's own role, where the schema is somebody else's.
    fn not_ours(&self, ledger: &Row, what: &str, schema: &str) -> Result<DbError, DbError> {
        let role: String = column(ledger, "role")?;
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
        if !column::<bool>(&ledger, "may_read")? {
            return Err(self.not_ours(&ledger, "read", schema)?);
        }
        if !column::<bool>(&ledger, "present")? {
            return Ok(Vec::new());
        }
        let applied = in_schema(APPLIED, schema)?;
        let rows = client.query(applied, &[&self.scope]).await?;
        rows.iter()
            .map(|row| {
                Ok(Applied {
                    version: column(row, "version")?,
                    name: column(row, "name")?,
                    checksum: column(row, "checksum")?,
                })
            })
            .collect()
    }
}

async fn applied_upstream(client: &Client, table: &Table) -> Result<Vec<Applied>, DbError> {
    let row = client.query_one(EXISTS, &[&table.name]).await?;
    if !column::<bool>(&row, "present")? {
        return Ok(Vec::new());
    }
    let rows = client.query(table.applied, &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: column(row, "version")?,
                name: String::new(),
                checksum: column(row, "checksum")?,
            })
        })
        .collect()
}
