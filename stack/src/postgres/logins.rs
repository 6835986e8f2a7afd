//! Roles to log in as, and their passwords. Role files cannot carry these: they differ from
//! installation to installation.

use std::collections::BTreeSet;

use platform::pg::{Client, DbError, Executor, Ident, Sql, column};
use postgres_protocol::password::scram_sha_256;

use super::OpenOptions;

/// The roles that upstream's services log in as, also those that this build does not have. The role
/// files make them, and whoever makes a role gives it its password at once: later nobody who is no
/// superuser can tell whether it has one.
const OF_SERVICES: &[&str] = &[
    "authenticator",
    "supabase_auth_admin",
    "supabase_functions_admin",
    "supabase_storage_admin",
];

/// The roles that people and their tools log in as.
const OF_PEOPLE: &[&str] = &[
    "pgbouncer",
    "postgres",
    "supabase_admin",
    "supabase_etl_admin",
    "supabase_read_only_user",
    "supabase_replication_admin",
];

const PRESENT: &str = "-- pg_catalog.pg_roles.present
select r.rolname::text as role
from pg_catalog.pg_roles as r
where r.rolname = any ($1::text[])";

const MISSING: &str = "-- pg_catalog.pg_authid.without_password
select exists (
  select from pg_catalog.pg_authid as a
  where a.rolname = any ($1::text[]) and a.rolpassword is null
) as present";

/// All roles that somebody logs in as.
pub(super) fn all(options: &OpenOptions<'_>) -> BTreeSet<&'static str> {
    let known = OF_SERVICES.iter().chain(OF_PEOPLE).copied();
    known.chain(options.logins()).collect()
}

/// Makes what is missing of these roles, and of those that upstream's services log in as.
pub async fn create(
    client: &Client,
    roles: &BTreeSet<&'static str>,
    password: &str,
) -> Result<(), DbError> {
    let wanted: BTreeSet<_> = roles.iter().chain(OF_SERVICES).copied().collect();
    let present = present(client, &wanted).await?;
    let mut statements = Sql::new("-- pg_catalog.pg_roles.create\n");
    for role in wanted {
        if !present.iter().any(|it| it == role) {
            statements.push(creation(&Ident::quote(role)?, &verifier(password)?));
        }
    }
    client.batch(statements).await
}

/// Makes a role together with its password, so that there never is one without. Owning a role's
/// objects and speaking for it takes membership.
fn creation(role: &Ident, verifier: &Sql) -> Sql {
    let mut sql = Sql::new("do $make$ begin create role ");
    sql.push(role).push(" login noinherit password ");
    sql.push(verifier).push(
        ";
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    grant ",
    );
    sql.push(role).push(
        " to current_user;
  end if;
exception
  -- Roles belong to the whole server: another database's start was faster.
  when duplicate_object or unique_violation then null;
end $make$;
",
    );
    sql
}

/// Whether one of these roles has no password. Only a superuser may ask.
pub(super) async fn lack_passwords(
    client: &Client,
    roles: &BTreeSet<&'static str>,
) -> Result<bool, DbError> {
    let roles: Vec<_> = roles.iter().collect();
    column(&client.query_one(MISSING, &[&roles]).await?, "present")
}

/// Gives those of these roles that there are one password.
pub(super) async fn set_passwords(
    client: &Client,
    roles: &BTreeSet<&'static str>,
    password: &str,
) -> Result<(), DbError> {
    let mut statements = Sql::new("-- pg_catalog.pg_roles.set_passwords\n");
    for role in present(client, roles).await? {
        statements.push("alter role ").push(Ident::quote(&role)?);
        statements.push(" password ");
        statements.push(verifier(password)?).push(";\n");
    }
    client.batch(statements).await
}

/// Which of these roles there are.
pub(super) async fn present(
    client: &Client,
    roles: &BTreeSet<&'static str>,
) -> Result<Vec<String>, DbError> {
    let roles: Vec<_> = roles.iter().collect();
    let rows = client.query(PRESENT, &[&roles]).await?;
    rows.iter().map(|row| column(row, "role")).collect()
}

/// What the server keeps of a password, and all that it ever sees. Each role has its own: with another's,
/// of the same salt, `postgres_fdw` could pass the proof of one login on as another's.
fn verifier(password: &str) -> Result<Sql, DbError> {
    Ok(Sql::literal(&scram_sha_256(password.as_bytes()))?)
}
