//! What the house has to know of this service.

use std::sync::Arc;

use actix_web::web::{Data, ServiceConfig};
use async_trait::async_trait;
use include_dir::{Dir, include_dir};
use platform::env::Reader;
use platform::health::Health;
use platform::pg::migrate::{Ledger, Migrations, Owner, lock};
use platform::service::{Access, Definition, Plan, Row, Service};

use crate::config::{Config, NAME, ROLE};
use crate::db;
use crate::routes;
use crate::state::State;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire");

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
    migrations: &[Migrations {
        scope: "wildfire",
        files: &FILES,
        ledger: Ledger::Own("_wildfire"),
        lock: lock("wildfire"),
        owner: Owner::Administrator,
    }],
    routes: routes::mounted,
    read,
};

fn read(env: &Reader<'_>) -> Plan {
    plan(Config::from_env(env))
}

/// The service as these settings have it.
pub fn plan(config: Config) -> Plan {
    Box::new(move |house| {
        let state = State::new(&config, house)?;
        state.write_usage_down(&house.tasks);
        Ok(Arc::new(Prompts(Data::new(state))))
    })
}

struct Prompts(Data<State>);

#[async_trait]
impl Service for Prompts {
    fn routes(&self, config: &mut ServiceConfig) {
        routes::configure(config, &self.0);
    }

    async fn health(&self) -> Health {
        db::health::of(&self.0.database).await
    }

    async fn flush(&self) {
        self.0.flush().await;
    }
}
