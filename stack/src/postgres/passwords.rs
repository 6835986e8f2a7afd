//! Passwords of the login roles. Role files cannot carry them: they differ from
//! installation to installation.

use platform::pg::{Client, DbError, Executor, Ident, Sql, column};
use postgres_protocol::password::scram_sha_256;

/// The roles that services and people log in as.
const LOGIN_ROLES: &[&str] = &[
    "authenticator",
    "pgbouncer",
    "postgres",
    "supabase_admin",
    "supabase_auth_admin",
    "supabase_etl_admin",
    "supabase_functions_admin",
    "supabase_read_only_user",
    "supabase_replication_admin",
    "supabase_storage_admin",
];

/// Which of these roles there are.
const PRESENT: &str = "-- pg_catalog.pg_roles.present
select r.rolname::text as role
from pg_catalog.pg_roles as r
where r.rolname = any ($1::text[])";

const EXISTS: &str = "-- pg_catalog.pg_roles.exists
select exists (
  select from pg_catalog.pg_roles as r where r.rolname = $1
) as present";

const MISSING: &str = "-- pg_catalog.pg_authid.without_password
select exists (
  select from pg_catalog.pg_authid as a
  where a.rolname = any ($1::text[]) and a.rolpassword is null
) as present";

/// Whether one of the login roles has no password. Only a superuser may ask.
pub(super) async fn are_missing(client: &Client) -> Result<bool, DbError> {
    column(
        &client.query_one(MISSING, &[&LOGIN_ROLES]).await?,
        "present",
    )
}

/// Gives all login roles one password.
pub(super) async fn set_all(client: &Client, password: &str) -> Result<(), DbError> {
    set(client, LOGIN_ROLES, password).await
}

/// Gives some roles a password. The server only ever sees its verifier.
pub(super) async fn set(client: &Client, roles: &[&str], password: &str) -> Result<(), DbError> {
    let verifier = scram_sha_256(password.as_bytes());
    let mut statements = Sql::new("-- pg_catalog.pg_roles.set_passwords\n");
    for row in client.query(PRESENT, &[&roles]).await? {
        statements.push("alter role ");
        statements.push(Ident::quote(column(&row, "role")?)?);
        statements.push(" password ");
        statements.push(Sql::literal(&verifier)?).push(";\n");
    }
    client.batch(statements).await
}

/// Whether a role exists.
pub(super) async fn role_exists(client: &Client, role: &str) -> Result<bool, DbError> {
    column(&client.query_one(EXISTS, &[&role]).await?, "present")
}
