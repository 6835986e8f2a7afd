//! Roles, then the schemas of the services: the same files in the same order for
//! an embedded server and for one that somebody brings.

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations};
use platform::pg::{Client, DbError};

static ROLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/roles");
static AUTH: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth");
static PUBLIC: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/public");

/// Brings the database up to date and returns what ran.
pub(super) async fn migrate(client: &mut Client) -> Result<Vec<String>, DbError> {
    let roles = Migrations::embedded("roles", Ledger::Own, &ROLES);
    let auth = Migrations::embedded("auth", Ledger::Upstream("auth.schema_migrations"), &AUTH);
    let public = Migrations::embedded("public", Ledger::Own, &PUBLIC);
    let mut applied = Vec::new();
    for migrations in [roles, auth, public] {
        applied.extend(migrations.run(client).await?);
    }
    Ok(applied)
}
