//! The services of this process: read and checked first, then started, then mounted.

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use platform::env::Reader;
use platform::http::mount::{Mount, Mounted};
use platform::pg::Offer;
use platform::service::{Definition, House, Plan, PoolSizes, Service, StartError};

/// A service that did not start.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub struct ServiceError {
    name: &'static str,
    source: StartError,
}

/// Services whose settings are good.
pub(super) struct Planned(Vec<(&'static Definition, Plan)>);

impl Planned {
    /// Reads the settings of all; the reader collects what is wrong with any.
    pub(super) fn read(services: &[&'static Definition], env: &Reader<'_>) -> Self {
        let plans = services
            .iter()
            .map(|service| (*service, (service.read)(env)));
        Self(plans.collect())
    }

    /// Divides what the database offers among their pools; also returns what the operator should know.
    pub(super) fn divide(&self, offer: &Offer) -> (PoolSizes, Option<String>) {
        let plans = self.0.iter();
        PoolSizes::divide(offer, plans.map(|(service, plan)| (service.name, plan)))
    }

    /// Starts all, in order.
    pub(super) fn start(self, house: &House) -> Result<Services, ServiceError> {
        let started = self.0.into_iter().map(|(definition, plan)| {
            let name = definition.name;
            let started = house.start(name, plan);
            let service = started.map_err(|source| ServiceError { name, source })?;
            Ok((definition, service))
        });
        Ok(Services(started.collect::<Result<_, _>>()?))
    }
}

/// Services that run, with what they are; cloning shares them.
#[derive(Clone)]
pub(super) struct Services(Arc<[(&'static Definition, Arc<dyn Service>)]>);

impl Services {
    /// Mounts them.
    pub(super) fn configure(&self, config: &mut ServiceConfig) {
        for (definition, service) in self.0.iter() {
            Mount::below(definition.mount, config, |mount| service.routes(mount));
        }
    }

    /// What they mount, with their names.
    pub(super) fn routes(&self) -> Vec<(&'static str, Mounted)> {
        let services = self.0.iter();
        let routes = services.flat_map(|(definition, service)| {
            let mounted = Mount::list(definition.mount, |mount| service.routes(mount));
            mounted.into_iter().map(|route| (definition.name, route))
        });
        routes.collect()
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Service>> {
        self.0.iter().map(|(_, service)| service)
    }
}
