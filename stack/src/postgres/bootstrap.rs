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
set role supabase_auth_admin";

const ACT_AS_OWNER: &str = "-- pg_catalog.act_as_owner
reset role";

/// What the Supabase CLI's resets drop; an event trigger does the same at once where there may be one.
const RESTORE_POLICIES: &str = "-- _wildfire.restore_policies
select _wildfire.restore_policies()";

/// Brings the database up to date, with the prompt platform's tables if it is on, and returns what
/// ran.
pub(super) async fn migrate(
    client: &mut Client,
    has_prompts: bool,
) -> Result<Vec<String>, DbError> {
    let roles = Migrations::embedded("roles", Ledger::Own, &ROLES);
    let (auth_own, prompts) = (gotrue::own_migrations(), prompt_api::migrations());
    Migrations::refuse_strangers(client, &[&roles, &auth_own, &prompts]).await?;
    let is_superuser: bool = column(&client.query_one(IS_SUPERUSER, &[]).await?, "is_superuser")?;
    let mut applied = roles.run(client).await?;
    applied.extend(if is_superuser {
        gotrue::migrations().run(client).await?
    } else {
        as_auth(client).await?
    });
    applied.extend(auth_own.run(client).await?);
    if has_prompts {
        applied.extend(prompts.run(client).await?);
        client.batch(RESTORE_POLICIES).await?;
    }
    Ok(applied)
}

async fn as_auth(client: &mut Client) -> Result<Vec<String>, DbError> {
    client.batch(ACT_AS_AUTH).await?;
    let outcome = gotrue::migrations().run(client).await;
    let returned = client.batch(ACT_AS_OWNER).await;
    // What went wrong first says more than that the connection was lost over it.
    let applied = outcome?;
    returned?;
    Ok(applied)
}
