//! How many connections each pool of a house may open.

use super::Plan;
use crate::pg::{Budget, DbError, Offer};

/// The sizes of pools, by service and role; none if nobody divided anything, which leaves them to the
/// services.
#[derive(Clone, Debug, Default)]
pub struct PoolSizes(Option<Vec<(&'static str, &'static str, usize)>>);

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
        (Self(Some(sizes.collect())), warning)
    }

    /// The size of a service's pool; `None` if nobody divided anything. A pool that was not planned is
    /// refused: it would be more than the database offers.
    pub(super) fn of(&self, service: &str, role: &str) -> Result<Option<usize>, DbError> {
        let Some(sizes) = &self.0 else {
            return Ok(None);
        };
        let mut sizes = sizes.iter();
        let found = sizes.find(|(name, as_role, _)| *name == service && *as_role == role);
        let found = found.map(|(_, _, size)| Some(*size));
        found.ok_or_else(|| DbError::Config(format!("{service} did not plan a pool of {role}")))
    }
}
