//! A service as a process of its own.

use std::error::Error;
use std::time::Duration;

use actix_web::web::ServiceConfig;

use super::{Definition, House, Plan};
use crate::http::{ServeOptions, run_until_stopped};
use crate::memory;

/// How long tasks that know of the end are waited for.
const LAST_TASKS: Duration = Duration::from_secs(10);

/// Carries a plan out and serves it until SIGINT or SIGTERM. Its paths are those below its mount:
/// a gateway in front has taken that off.
pub async fn run_alone(
    definition: &'static Definition,
    plan: Plan,
    house: &House,
    options: ServeOptions,
) -> Result<(), Box<dyn Error>> {
    memory::give_back_regularly();
    let service = house.start(definition.name, plan)?;
    let (mounted, tasks) = (service.clone(), house.tasks.clone());
    let configure = move |config: &mut ServiceConfig| mounted.routes(config);
    run_until_stopped(options, definition.name, || tasks.stop(), configure).await?;
    house.tasks.wait(LAST_TASKS).await;
    service.flush().await;
    house.pools.close();
    Ok(())
}
