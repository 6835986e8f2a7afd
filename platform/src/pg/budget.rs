//! Divides the connections that a database offers among the pools of a process.
//!
//! A pool whose size the operator set has that size. The others share what is left, none more than
//! it asks for or its role may open; what a pool has is divided once more for anonymous callers
//! ([`super::Database`]). A process that is one of several has its part of the offer.

use std::fmt::Write as _;

use super::{Client, DbError, Executor as _, column};

/// Fewest connections with which the callers of a pool do not wait for each other all the time.
const ENOUGH: usize = 4;

/// Most connections that are left to people, backups and migrations, and of how many one of them is.
const LEFT: usize = 4;

/// How many processes are thought to share a database if this is not the only one.
const SEVERAL: usize = 4;

const OFFER: &str = "-- pg_catalog.pg_settings.connections
select current_setting('max_connections')::int as most,
  current_setting('superuser_reserved_connections')::int
    + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
  (select d.datconnlimit from pg_catalog.pg_database as d where d.datname = current_database())
    as limited";

const ROLES: &str = "-- pg_catalog.pg_roles.connection_limits
select r.rolname::text as role, r.rolconnlimit as most
from pg_catalog.pg_roles as r
where r.rolconnlimit >= 0";

/// How many connections a database offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// `max_connections` of the server.
    pub most: usize,
    /// Those of them that only superusers, or roles that were granted it, get.
    pub reserved: usize,
    /// `connection limit` of the database, if it has one.
    pub limited: Option<usize>,
    /// `connection limit` of the roles that have one.
    pub roles: Vec<(String, usize)>,
    /// Whether others share it that are not asked.
    pub is_shared: bool,
}

impl Offer {
    /// What the server says of itself; anybody may ask.
    pub async fn of(client: &Client) -> Result<Self, DbError> {
        let row = client.query_one(OFFER, &[]).await?;
        let number = |row: &_, name| -> Result<Option<usize>, DbError> {
            Ok(usize::try_from(column::<i32>(row, name)?).ok())
        };
        let mut roles = Vec::new();
        for row in client.query(ROLES, &[]).await? {
            let most = number(&row, "most")?.unwrap_or_default();
            roles.push((column(&row, "role")?, most));
        }
        Ok(Self {
            most: number(&row, "most")?.unwrap_or_default(),
            reserved: number(&row, "reserved")?.unwrap_or_default(),
            limited: number(&row, "limited")?,
            roles,
            is_shared: false,
        })
    }

    /// The same for a process of which there are others at this database.
    #[must_use]
    pub fn for_one_of_several(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// How many processes divide it.
    fn processes(&self) -> usize {
        if self.is_shared { SEVERAL } else { 1 }
    }

    /// What a role may open, if it has a limit.
    fn of_role(&self, role: &str) -> Option<usize> {
        let mut roles = self.roles.iter();
        roles.find(|(name, _)| name == role).map(|(_, most)| *most)
    }

    /// How many connections services can open together.
    pub fn usable(&self) -> usize {
        let usable = self.most.saturating_sub(self.reserved);
        self.limited.map_or(usable, |limit| limit.min(usable))
    }

    /// How many of them are left to others.
    fn left(&self) -> usize {
        (self.usable() / LEFT).min(LEFT)
    }

    /// The offer in words.
    fn describe(&self) -> String {
        let Self { most, reserved, .. } = self;
        let usable = self.usable();
        let part = match self.processes() {
            1 => String::new(),
            several => format!(", of which this process takes one part in {several}"),
        };
        match self.limited {
            Some(limit) if limit == usable => {
                format!("The database offers {usable} connections (its connection limit){part}")
            }
            _ => format!(
                "The database offers {usable} connections (max_connections is {most}, of which \
                 {reserved} are reserved){part}"
            ),
        }
    }
}

/// A pool that somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPlan {
    /// The role it logs in as.
    pub role: &'static str,
    /// Its size if nobody set one.
    pub usual: usize,
    /// Its size if the operator set one.
    pub set: Option<usize>,
    /// The variable that sets it.
    pub setting: &'static str,
}

/// How large the pools are, in the order in which they were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Most connections of each pool, at least one unless the operator set none.
    pub sizes: Vec<usize>,
    /// What the operator should know and change.
    pub warning: Option<String>,
}

impl Budget {
    /// Divides what is offered.
    pub fn divide(offer: &Offer, pools: &[PoolPlan]) -> Self {
        let set: usize = pools.iter().filter_map(|pool| pool.set).sum();
        let part = offer.usable().saturating_sub(offer.left()) / offer.processes();
        let mut rest = part.saturating_sub(set);
        let asks: Vec<_> = pools.iter().map(|pool| ask(offer, pools, pool)).collect();
        let mut sizes: Vec<_> = pools.iter().map(|pool| pool.set.unwrap_or(0)).collect();
        // Whoever asks for less goes first, so that what they leave is the others'.
        let mut open: Vec<_> = (0..pools.len())
            .filter(|at| pools[*at].set.is_none())
            .collect();
        open.sort_by_key(|at| asks[*at]);
        let mut waiting = open.len();
        for at in open {
            sizes[at] = asks[at].min(rest / waiting).max(1);
            rest = rest.saturating_sub(sizes[at]);
            waiting -= 1;
        }
        let warnings = [
            warning_of_roles(offer, pools),
            warning(offer, pools, &asks, &sizes),
        ];
        let warnings: Vec<_> = warnings.into_iter().flatten().collect();
        let warning = (!warnings.is_empty()).then(|| warnings.join(". "));
        Self { sizes, warning }
    }
}

/// How many connections a pool asks for whose size nobody set: no more than its part of what its role
/// may open.
fn ask(offer: &Offer, pools: &[PoolPlan], pool: &PoolPlan) -> usize {
    let Some(limit) = offer.of_role(pool.role) else {
        return pool.usual;
    };
    let of_role = || pools.iter().filter(|it| it.role == pool.role);
    let set: usize = of_role().filter_map(|it| it.set).sum();
    let open = of_role().filter(|it| it.set.is_none()).count();
    pool.usual.min(limit.saturating_sub(set) / open.max(1))
}

fn warning_of_roles(offer: &Offer, pools: &[PoolPlan]) -> Option<String> {
    let mut text = String::new();
    for (role, limit) in &offer.roles {
        let of_role = || pools.iter().filter(|pool| pool.role == role);
        let needed: usize = of_role()
            .map(|pool| pool.set.unwrap_or(pool.usual.min(ENOUGH)))
            .sum();
        if needed > *limit {
            let settings: Vec<_> = of_role().map(|pool| pool.setting).collect();
            let between = if text.is_empty() { "" } else { ". " };
            // Writing to a string cannot fail.
            _ = write!(
                text,
                "{between}The role {role} may open {limit} connections (its connection limit), which \
                 is too few for its pools ({}). Raise the limit to {needed} or more, or set smaller \
                 pools",
                settings.join(", ")
            );
        }
    }
    (!text.is_empty()).then_some(text)
}

fn warning(offer: &Offer, pools: &[PoolPlan], asks: &[usize], sizes: &[usize]) -> Option<String> {
    let total: usize = sizes.iter().sum();
    let mut all = pools.iter().zip(asks.iter().zip(sizes));
    let is_starved =
        all.any(|(pool, (ask, size))| pool.set.is_none() && *size < (*ask).min(ENOUGH));
    if total <= offer.usable() && !is_starved {
        return None;
    }
    let wanted: usize = pools
        .iter()
        .map(|pool| pool.set.unwrap_or(pool.usual))
        .sum();
    let wanted = wanted * offer.processes();
    let enough = wanted + LEFT + offer.reserved;
    let mut text = offer.describe();
    text.push_str(", which is too few for its pools: ");
    for (index, (pool, size)) in pools.iter().zip(sizes).enumerate() {
        let between = if index > 0 { ", " } else { "" };
        let PoolPlan { role, setting, .. } = pool;
        let why = match pool.set {
            Some(_) => format!("as {setting} says"),
            None => format!("instead of {}; {setting}", pool.usual),
        };
        // Writing to a string cannot fail.
        _ = write!(text, "{between}{role} gets {size} ({why})");
    }
    if total > offer.usable() {
        _ = write!(
            text,
            ". Together that is {total}: connections beyond the offer will be refused"
        );
    }
    let limit = match offer.limited {
        Some(limit) if limit < wanted + LEFT => ", and the connection limit of the database,",
        _ => "",
    };
    _ = write!(text, ". Raise max_connections{limit} to {enough} or more");
    if pools.iter().any(|pool| pool.set.is_some()) {
        text.push_str(", or set smaller pools");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(most: usize) -> Offer {
        Offer {
            most,
            reserved: 3,
            ..Offer::default()
        }
    }

    fn pool(usual: usize, set: Option<usize>) -> PoolPlan {
        PoolPlan {
            role: "authenticator",
            usual,
            set,
            setting: "POOL",
        }
    }

    #[test]
    fn what_suffices_is_given_as_asked_without_a_word() {
        let pools = [pool(16, None), pool(16, None), pool(4, None)];
        let budget = Budget::divide(&offer(100), &pools);
        assert_eq!(budget.sizes, [16, 16, 4]);
        assert_eq!(budget.warning, None);
    }

    #[test]
    fn pools_never_get_more_than_there_is_nor_less_than_one() {
        for most in 0..=120 {
            for count in 1..=6 {
                let pools: Vec<_> = (1..=count).map(|at| pool(at * 4, None)).collect();
                let budget = Budget::divide(&offer(most), &pools);
                let total: usize = budget.sizes.iter().sum();
                assert!(budget.sizes.iter().all(|size| *size >= 1), "{most} {count}");
                let usable = offer(most).usable();
                assert!(
                    total <= usable || total == count,
                    "{most}: {:?}",
                    budget.sizes
                );
                assert_eq!(total > usable, budget.warning.is_some() && usable < count);
            }
        }
    }

    #[test]
    fn what_small_pools_leave_is_the_others() {
        let budget = Budget::divide(&offer(31), &[pool(16, None), pool(2, None), pool(16, None)]);
        assert_eq!(budget.sizes, [11, 2, 11]);
        assert_eq!(budget.warning, None);
    }

    #[test]
    fn too_few_is_told_with_what_to_change() {
        let budget = Budget::divide(&offer(10), &[pool(16, None), pool(16, None)]);
        assert_eq!(budget.sizes, [3, 3]);
        let warning = budget.warning.unwrap();
        for part in [
            "offers 7",
            "max_connections is 10",
            "gets 3 (instead of 16; POOL)",
            "to 39 or more",
        ] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
    }

    #[test]
    fn what_the_operator_set_stays_and_is_warned_about() {
        let budget = Budget::divide(&offer(20), &[pool(16, Some(30)), pool(16, None)]);
        assert_eq!(budget.sizes, [30, 1]);
        let warning = budget.warning.unwrap();
        assert!(warning.contains("Together that is 31"), "{warning}");
        assert!(warning.contains("smaller pools"), "{warning}");
        let fits = Budget::divide(&offer(100), &[pool(16, Some(30)), pool(16, None)]);
        assert_eq!((fits.sizes, fits.warning), (vec![30, 16], None));
    }

    #[test]
    fn a_limit_of_the_database_counts() {
        let limited = Offer {
            limited: Some(8),
            ..offer(100)
        };
        let budget = Budget::divide(&limited, &[pool(16, None), pool(16, None)]);
        assert_eq!(budget.sizes, [3, 3]);
        assert!(
            budget
                .warning
                .unwrap()
                .contains("connection limit of the database")
        );
    }

    #[test]
    fn a_process_that_is_one_of_several_leaves_room_for_the_others() {
        for most in [30, 60, 100, 400] {
            let shared = offer(most).for_one_of_several();
            let budget = Budget::divide(&shared, &[pool(16, None)]);
            let all = budget.sizes[0] * SEVERAL;
            assert!(all <= shared.usable(), "{most}: {:?}", budget.sizes);
            assert_eq!(budget.warning, None, "{most}");
        }
        let shared = offer(10).for_one_of_several();
        let warning = Budget::divide(&shared, &[pool(16, None)]).warning.unwrap();
        for part in ["one part in 4", "gets 1 (instead of 16; POOL)", "to 71"] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        let set = Budget::divide(&shared, &[pool(16, Some(5))]);
        assert_eq!((set.sizes, set.warning), (vec![5], None));
    }

    #[test]
    fn pools_of_a_role_share_what_it_may_open() {
        let limited = |limit| Offer {
            roles: vec![
                ("authenticator".to_owned(), limit),
                ("nobody".to_owned(), 0),
            ],
            ..offer(100)
        };
        let other = PoolPlan {
            role: "other",
            ..pool(16, None)
        };
        let budget = Budget::divide(&limited(10), &[pool(16, None), pool(16, None), other]);
        assert_eq!((budget.sizes, budget.warning), (vec![5, 5, 16], None));
        let budget = Budget::divide(&limited(10), &[pool(16, Some(6)), pool(16, None), other]);
        assert_eq!((budget.sizes, budget.warning), (vec![6, 4, 16], None));
        let budget = Budget::divide(&limited(3), &[pool(16, None), other]);
        assert_eq!(budget.sizes, [3, 16]);
        let warning = budget.warning.unwrap();
        for part in ["authenticator may open 3", "(POOL)", "to 4 or more"] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        assert!(!warning.contains("max_connections"), "{warning}");
    }
}
