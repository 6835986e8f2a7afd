//! What the house has to know of this service.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use async_trait::async_trait;
use include_dir::{Dir, include_dir};
use platform::env::{Reader, Secret};
use platform::health::Health;
use platform::http::mount::Mount;
use platform::pg::migrate::{Ledger, Migrations, Owner, lock, run_all};
use platform::pg::{DatabaseConfig, DatabaseUrls, DbError, PoolPlan, Unreachable, reach};
use platform::service::{Access, Definition, Plan, Row, Service};

use crate::config::{Config, MAX_CONNECTIONS, NAME, ROLE};
use crate::db;
use crate::routes;
use crate::state::State;

/// The role that everything of this service belongs to in the database, and that has no other rights.
const OWNER: &str = "wildfire_owner";

static SCHEMAS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire_schemas");
static TABLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire");
static POLICIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire_policies");

/// The service.
pub static SERVICE: Definition = Definition {
    name: NAME,
    mount: "",
    rows: &[
        Row::under("/api", Access::Open),
        Row::under("/docs", Access::Open),
        Row::under("/debug", Access::Open),
        Row::under("/health", Access::Open),
        Row::under("/metrics", Access::Translated).closed_to_pages(),
    ],
    roles: &[ROLE],
    // They need those of the auth service first.
    migrations: &[
        Migrations {
            scope: "wildfire_schemas",
            files: &SCHEMAS,
            ledger: Ledger::Own("_wildfire"),
            lock: lock("wildfire_schemas"),
            owner: Owner::Administrator,
            each_start: None,
        },
        Migrations {
            scope: "wildfire",
            files: &TABLES,
            ledger: Ledger::Own("wildfire_private"),
            lock: lock("wildfire"),
            owner: Owner::Role(OWNER),
            each_start: None,
        },
        Migrations {
            scope: "wildfire_policies",
            files: &POLICIES,
            ledger: Ledger::Own("_wildfire"),
            lock: lock("wildfire_policies"),
            owner: Owner::Administrator,
            each_start: Some(db::migrations::RESTORE_POLICIES),
        },
    ],
    read,
};

fn read(env: &Reader<'_>) -> Plan {
    plan(Config::from_env(env))
}

/// The service as these settings have it.
pub fn plan(config: Config) -> Plan {
    let pools = [PoolPlan {
        role: ROLE,
        usual: DatabaseConfig::USUAL_CONNECTIONS,
        set: config.max_connections,
        setting: MAX_CONNECTIONS,
    }];
    Plan::new(pools, move |house| {
        let state = State::new(&config, house)?;
        state.write_usage_down(&house.tasks);
        Ok(Arc::new(Prompts(Data::new(state))))
    })
}

/// Why this service's part of the database could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The administrator cannot log in.
    #[error("PROMPT_API_ADMIN_DATABASE_URL: {0}")]
    Unreachable(#[from] Unreachable),
    /// Others come first.
    #[error(
        "This database lacks what the prompt platform is built on: roles and the schema auth. Run \
         `wildfire migrate --db-url …` once, which makes all of it; from then on this command keeps its \
         own part up to date."
    )]
    Unprepared,
    /// A statement or a file failed.
    #[error("{0}")]
    Database(#[from] DbError),
}

/// Brings this service's part of the database up to date, as soon as the database is there, and returns
/// what ran. `admin` is the administrator's way to it, `urls` has the owner's.
pub async fn migrate(
    admin: &Secret<String>,
    urls: &DatabaseUrls,
) -> Result<Vec<String>, MigrateError> {
    let config = DatabaseConfig::new(admin.clone(), "prompt-api").for_migrations();
    let (database, mut client) = reach(&config, Duration::MAX).await?;
    if !db::migrations::is_prepared(&client).await? {
        return Err(MigrateError::Unprepared);
    }
    let applied = run_all(SERVICE.migrations, &mut client, urls).await?;
    drop(client);
    database.close();
    Ok(applied)
}

struct Prompts(Data<State>);

#[async_trait]
impl Service for Prompts {
    fn routes(&self, mount: &mut Mount<'_>) {
        routes::mount(mount, &self.0);
    }

    async fn health(&self) -> Health {
        db::health::of(&self.0.database).await
    }

    async fn flush(&self) {
        self.0.flush().await;
    }
}
