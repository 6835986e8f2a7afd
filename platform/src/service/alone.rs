//! A service as a process of its own.

use std::error::Error;
use std::time::Duration;

use actix_web::web::ServiceConfig;

use super::program::unless_stopped;
use super::{Definition, House, Plan, PoolSizes};
use crate::http::mount::Mount;
use crate::http::{ServeOptions, run_until_stopped};
use crate::memory;
use crate::pg::{DatabaseConfig, Offer, reach};
use crate::telemetry::traces::Traces;

/// Waits for the database, carries a plan out and serves it until SIGINT or SIGTERM, or until the house's tasks are told to
/// stop. Nothing listens before the database has let it in. Its paths are those below its mount: a gateway in front has
/// taken that off.
pub async fn run_alone(
    definition: &'static Definition,
    plan: Plan,
    house: &House,
    options: ServeOptions,
) -> Result<(), Box<dyn Error>> {
    memory::give_back_regularly();
    let traces = options.traces.as_ref().map(Traces::start).transpose()?;
    let Some(sizes) = unless_stopped(divide(definition.name, &plan, house)).await? else {
        return Ok(());
    };
    let sizes = sizes?;
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
/// settings have them if the database lets it in and does not say what it offers.
async fn divide(
    name: &'static str,
    plan: &Plan,
    house: &House,
) -> Result<PoolSizes, Box<dyn Error>> {
    let Some(pool) = plan.pools.first() else {
        return Ok(PoolSizes::default());
    };
    let config = DatabaseConfig {
        max_connections: 1,
        ..DatabaseConfig::new(house.databases.of(pool.role)?, "wildfire")
    };
    let (database, client) = reach(&config, Duration::MAX).await?;
    let offer = Offer::of(&client).await;
    drop(client);
    database.close();
    let offer = match offer {
        Ok(offer) => offer.for_one_of_several(),
        Err(error) => {
            tracing::warn!(%error, "how many connections the database offers is not known");
            return Ok(PoolSizes::default());
        }
    };
    let (sizes, warning) = PoolSizes::divide(&offer, [(name, plan)]);
    if let Some(warning) = warning {
        tracing::warn!("{warning}");
    }
    Ok(sizes)
}
