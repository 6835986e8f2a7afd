//! The services of this process: read and checked first, then started, then mounted.

use std::sync::Arc;

use actix_web::web::{self, ServiceConfig};
use platform::env::Reader;
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
            Ok((definition.mount, service))
        });
        Ok(Services(started.collect::<Result<_, _>>()?))
    }
}

/// Services that run, with their mounts; cloning shares them.
#[derive(Clone)]
pub(super) struct Services(Arc<[(&'static str, Arc<dyn Service>)]>);

impl Services {
    /// Mounts them.
    pub(super) fn configure(&self, config: &mut ServiceConfig) {
        for (mount, service) in self.0.iter() {
            if mount.is_empty() {
                service.routes(config);
            } else {
                config.service(web::scope(mount).configure(|scope| service.routes(scope)));
            }
        }
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<dyn Service>> {
        self.0.iter().map(|(_, service)| service)
    }
}
