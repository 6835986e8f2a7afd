//! What the house has to know of this service.

use std::sync::Arc;

use actix_web::web::Data;
use async_trait::async_trait;
use include_dir::{Dir, include_dir};
use platform::env::Reader;
use platform::health::Health;
use platform::http::mount::Mount;
use platform::pg::migrate::{Ledger, Migrations, Owner, lock};
use platform::pg::{DatabaseConfig, PoolPlan};
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
