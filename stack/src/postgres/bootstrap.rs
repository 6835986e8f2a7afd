//! Roles, then the schemas of the services: the same files in the same order for
//! an embedded server and for one that somebody brings.

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations};
use platform::pg::{Client, DbError, Executor, column};

static ROLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/roles");

const IS_SUPERUSER: &str = "-- pg_catalog.pg_roles.is_superuser
select r.rolsuper as is_superuser
from pg_catalog.pg_roles as r
where r.rolname = current_user";

/// What the auth service owns, it has to create itself where nobody may give it away.
const ACT_AS_AUTH: &str = "-- pg_catalog.act_as_auth
do $$
begin
  execute format('grant create on database %I to supabase_auth_admin', current_database());
end
$$;
grant usage, create on schema _wildfire to supabase_auth_admin;
set role supabase_auth_admin";

const ACT_AS_OWNER: &str = "-- pg_catalog.act_as_owner
reset role;
revoke create on schema _wildfire from supabase_auth_admin";

/// Brings the database up to date and returns what ran.
pub(super) async fn migrate(client: &mut Client) -> Result<Vec<String>, DbError> {
    let roles = Migrations::embedded("roles", Ledger::Own, &ROLES);
    let is_superuser: bool = column(&client.query_one(IS_SUPERUSER, &[]).await?, "is_superuser")?;
    let mut applied = roles.run(client).await?;
    if !is_superuser {
        client.batch(ACT_AS_AUTH).await?;
    }
    applied.extend(gotrue::migrations().run(client).await?);
    if !is_superuser {
        client.batch(ACT_AS_OWNER).await?;
    }
    applied.extend(prompt_api::migrations().run(client).await?);
    Ok(applied)
}
