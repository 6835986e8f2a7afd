//! What is left of the prompt platform's addresses where it is switched off: `/health` and
//! `/metrics`, which concern the whole installation.

use std::future::ready;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{self, Data};
use async_trait::async_trait;
use platform::env::Reader;
use platform::health::Health;
use platform::http::mount::{Mount, get, head};
use platform::service::operations::{Operations, OperationsConfig};
use platform::service::{Definition, Plan, Service};
use serde_json::json;

use super::caller::Operator;

/// Stands in for the prompt platform: it has the same rows.
pub(crate) static SERVICE: Definition = Definition {
    name: "operations",
    mount: "",
    rows: prompt_api::SERVICE.rows,
    roles: &[],
    migrations: &[],
    read,
};

fn read(env: &Reader<'_>) -> Plan {
    let config = OperationsConfig::from_env(env);
    Plan::new([], move |house| {
        let operations = Operations::new(SERVICE.name, house, &config);
        Ok(Arc::new(Running(Data::new(operations))))
    })
}

struct Running(Data<Operations>);

#[async_trait]
impl Service for Running {
    fn routes(&self, mount: &mut Mount<'_>) {
        let otherwise = || web::to(HttpResponse::NotFound);
        mount.data(self.0.clone());
        mount.resource("/health", [get(get_health), head(get_health)], otherwise());
        mount.resource("/metrics", [get(get_metrics)], otherwise());
    }
}

async fn get_health(operations: Data<Operations>) -> HttpResponse {
    let own = ready((Health::good(), Vec::new()));
    operations.health(own).await
}

async fn get_metrics(_: Operator) -> HttpResponse {
    Operations::metrics()
}

/// The answer at every address of the platform, and of its app.
pub(super) async fn nothing_here() -> HttpResponse {
    HttpResponse::NotFound().json(json!({
        "code": "switched_off",
        "error": "switched_off",
        "message": "There is nothing at this address: the prompt platform is switched off in this \
                    installation (WILDFIRE_PROMPTS=false).",
    }))
}
