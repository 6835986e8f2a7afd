//! A service as a process of its own.

use std::error::Error;

use actix_web::web::ServiceConfig;

use super::{Definition, House, Plan, PoolSizes};
use crate::http::mount::Mount;
use crate::http::{ServeOptions, run_until_stopped};
use crate::memory;
use crate::pg::{Database, DatabaseConfig, DbError, Offer};
use crate::telemetry::traces::Traces;

/// Carries a plan out and serves it until SIGINT or SIGTERM, or until the house's tasks are told to
/// stop. Its paths are those below its mount: a gateway in front has taken that off.
pub async fn run_alone(
    definition: &'static Definition,
    plan: Plan,
    house: &House,
    options: ServeOptions,
) -> Result<(), Box<dyn Error>> {
    memory::give_back_regularly();
    let traces = options.traces.as_ref().map(Traces::start).transpose()?;
    let sizes = divide(definition.name, &plan, house).await;
    let house = &house.clone().with_sizes(sizes);
    let service = house.start(definition.name, plan)?;
    let mounted = service.clone();
    let configure = move |config: &mut ServiceConfig| {
        Mount::below("", config, |mount| mounted.routes(mount));
    };
    let stopping = house.tasks.stopping();
    let served = run_until_stopped(options, definition.name, stopping, configure).await;
    house.end([&service]).await;
    if let Some(traces) = traces {
        traces.finish().await;
    }
    Ok(served?)
}

/// The sizes of its pools, which leave room for the other processes that share the database; as its
/// settings have them while the database cannot be asked.
async fn divide(name: &'static str, plan: &Plan, house: &House) -> PoolSizes {
    let Some(pool) = plan.pools.first() else {
        return PoolSizes::default();
    };
    match ask(house, pool.role).await {
        Ok(offer) => {
            let offer = offer.for_one_of_several();
            let (sizes, warning) = PoolSizes::divide(&offer, [(name, plan)]);
            if let Some(warning) = warning {
                tracing::warn!("{warning}");
            }
            sizes
        }
        Err(error) => {
            tracing::warn!(%error, "how many connections the database offers is not known");
            PoolSizes::default()
        }
    }
}

async fn ask(house: &House, role: &'static str) -> Result<Offer, DbError> {
    let database = Database::new(&DatabaseConfig {
        max_connections: 1,
        ..DatabaseConfig::new(house.databases.of(role)?, "wildfire")
    })?;
    let offer = Offer::of(&database.client().await?).await;
    database.close();
    offer
}
