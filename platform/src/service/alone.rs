//! A service as a process of its own.

use std::error::Error;

use actix_web::web::ServiceConfig;

use super::{Definition, House, Plan};
use crate::http::{ServeOptions, run_until_stopped};
use crate::memory;
use crate::telemetry::traces::Traces;

/// Carries a plan out and serves it until SIGINT or SIGTERM. Its paths are those below its mount:
/// a gateway in front has taken that off.
pub async fn run_alone(
    definition: &'static Definition,
    plan: Plan,
    house: &House,
    options: ServeOptions,
) -> Result<(), Box<dyn Error>> {
    memory::give_back_regularly();
    let traces = options.traces.as_ref().map(Traces::start).transpose()?;
    let service = house.start(definition.name, plan)?;
    let (mounted, tasks) = (service.clone(), house.tasks.clone());
    let configure = move |config: &mut ServiceConfig| mounted.routes(config);
    let served = run_until_stopped(options, definition.name, || tasks.stop(), configure).await;
    house.end([&service]).await;
    if let Some(traces) = traces {
        traces.finish().await;
    }
    Ok(served?)
}
