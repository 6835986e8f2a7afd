//! How many connections each pool of a house may open.

use super::Plan;
use crate::pg::{Budget, Offer};

/// The sizes of pools, by service and role; none if nobody divided anything, which leaves them to the
/// services.
#[derive(Clone, Debug, Default)]
pub struct PoolSizes(Vec<(&'static str, &'static str, usize)>);

impl PoolSizes {
    /// Divides what a database offers among the pools of these services, named beside their plans.
    /// Also returns what the operator should know and change, in one or more sentences.
    pub fn divide<'p>(
        offer: &Offer,
        plans: impl IntoIterator<Item = (&'static str, &'p Plan)>,
    ) -> (Self, Option<String>) {
        let pools: Vec<_> = plans
            .into_iter()
            .flat_map(|(name, plan)| plan.pools.iter().map(move |pool| (name, *pool)))
            .collect();
        let wanted: Vec<_> = pools.iter().map(|(_, pool)| *pool).collect();
        let Budget { sizes, warning } = Budget::divide(offer, &wanted);
        let sizes = pools.iter().zip(sizes);
        let sizes = sizes.map(|((name, pool), size)| (*name, pool.role, size));
        (Self(sizes.collect()), warning)
    }

    /// The size of a service's pool, if somebody divided.
    pub(super) fn of(&self, service: &str, role: &str) -> Option<usize> {
        let mut sizes = self.0.iter();
        let found = sizes.find(|(name, as_role, _)| *name == service && *as_role == role);
        found.map(|(_, _, size)| *size)
    }
}
