//! The routing table: whose a path is and what it asks of the caller. It is put together from the rows
//! of the services that are listed, and of those that upstream has and this build does not.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use platform::service::{Access, Definition, Path, Row};

use super::unbuilt::UNBUILT;

/// Who answers a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The service of this name.
    Service(&'static str),
    /// One that is not part of this build, called so.
    Unbuilt(&'static str),
    /// The web app.
    Web,
}

/// One decision of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) owner: Owner,
    pub(super) access: Access,
    /// Whether pages of any origin may call.
    pub(super) is_open_to_pages: bool,
    /// The part of the path the service does not see.
    pub(super) prefix: &'static str,
    /// The path to serve instead, where it differs from the one asked for.
    pub(super) target: Option<&'static str>,
}

/// What nobody claims.
const WEB: Route = Route {
    owner: Owner::Web,
    access: Access::Open,
    is_open_to_pages: false,
    prefix: "",
    target: None,
};

/// Two services that want the same paths.
#[derive(Debug, thiserror::Error)]
pub enum Clash {
    /// Both say so.
    #[error("the services {one} and {other} both claim {path}")]
    Claimed {
        /// The one that came first.
        one: &'static str,
        /// The other.
        other: &'static str,
        /// The path.
        path: &'static str,
    },
    /// A row, or where it leads, is below a path of another.
    #[error("the service {one} claims {path}, which is below {home} of {other}")]
    Trespass {
        /// Whose row it is.
        one: &'static str,
        /// The path.
        path: &'static str,
        /// The other.
        other: &'static str,
        /// The other's path.
        home: &'static str,
    },
}

/// Rows of all services. Of those that fit a path, one that names the whole of it decides, else the one
/// that names most of it.
#[derive(Debug, Default)]
pub struct Table {
    exact: BTreeMap<&'static str, Route>,
    /// With all that is below.
    under: BTreeMap<&'static str, Route>,
}

impl Table {
    /// The table for these services. What upstream has and none of them brings is said to be missing.
    pub fn new(services: &[&'static Definition]) -> Result<Self, Clash> {
        let mut table = Self::default();
        let missing = UNBUILT
            .iter()
            .filter(|it| services.iter().all(|service| service.mount != it.mount));
        let claims: Vec<Claim> = services
            .iter()
            .map(|it| (Owner::Service(it.name), it.mount, it.rows))
            .chain(missing.map(|it| (Owner::Unbuilt(it.name), it.mount, it.rows)))
            .collect();
        let homes: Vec<_> = claims.iter().flat_map(homes).collect();
        for claim in claims {
            stay_at_home(&claim, &homes)?;
            let (owner, mount, rows) = claim;
            table.add(owner, mount, rows)?;
        }
        Ok(table)
    }

    fn add(&mut self, owner: Owner, prefix: &'static str, rows: &[Row]) -> Result<(), Clash> {
        for row in rows {
            let (paths, path) = match row.path {
                Path::Exactly(path) => (&mut self.exact, path),
                Path::Under(path) => (&mut self.under, path),
            };
            let route = Route {
                owner,
                access: row.access,
                is_open_to_pages: row.is_open_to_pages,
                prefix,
                target: row.target,
            };
            match paths.entry(path) {
                Entry::Vacant(place) => place.insert(route),
                Entry::Occupied(taken) => {
                    return Err(Clash::Claimed {
                        one: taken.get().owner.name(),
                        other: owner.name(),
                        path,
                    });
                }
            };
        }
        Ok(())
    }

    /// All rows in words: the path (`…` for all below it), whose it is, what it asks of the caller,
    /// whether pages of any origin may call, and what is served instead.
    pub fn rows(&self) -> Vec<[String; 5]> {
        let whole = self
            .exact
            .iter()
            .map(|(path, route)| (format!("{path} only"), route));
        let parts = self
            .under
            .iter()
            .map(|(path, route)| (format!("{path}/…"), route));
        let mut rows: Vec<_> = whole
            .chain(parts)
            .map(|(path, route)| {
                let pages = if route.is_open_to_pages { "any" } else { "own" };
                let target = route.target.unwrap_or_default().to_owned();
                let owner = route.owner.name().to_owned();
                [
                    path,
                    owner,
                    format!("{:?}", route.access),
                    pages.to_owned(),
                    target,
                ]
            })
            .collect();
        rows.sort();
        rows
    }

    /// Looks a decoded path up.
    pub(super) fn find(&self, path: &str) -> Route {
        let exact = self.exact.get(path);
        let found = exact.or_else(|| prefixes(path).find_map(|prefix| self.under.get(prefix)));
        found.copied().unwrap_or(WEB)
    }
}

/// Who wants paths, where it is mounted, and its rows.
type Claim = (Owner, &'static str, &'static [Row]);

/// The paths below which everything is this one's: its mount, or what it claims without one.
fn homes((owner, mount, rows): &Claim) -> Vec<(&'static str, Owner)> {
    if !mount.is_empty() {
        return vec![(mount, *owner)];
    }
    let under = rows.iter().filter_map(|row| match row.path {
        Path::Under(path) => Some((path, *owner)),
        Path::Exactly(_) => None,
    });
    under.collect()
}

/// A longer prefix wins, so a row in another's home would take its paths, and what they ask, away.
fn stay_at_home(
    (owner, mount, rows): &Claim,
    homes: &[(&'static str, Owner)],
) -> Result<(), Clash> {
    for row in *rows {
        let (Path::Exactly(path) | Path::Under(path)) = row.path;
        for path in [Some(path), row.target].into_iter().flatten() {
            // Of mounts that lie in each other the innermost counts. Who claims the same paths as
            // another is told so when the rows meet.
            let at_home = prefixes(path).any(|at| at == *mount);
            let own = if at_home { mount.len() } else { 0 };
            let foreign = homes.iter().filter(|(home, other)| {
                other != owner
                    && home.len() > own
                    && row.path != Path::Under(home)
                    && prefixes(path).any(|at| at == *home)
            });
            if let Some((home, other)) = foreign.max_by_key(|(home, _)| home.len()) {
                return Err(Clash::Trespass {
                    one: owner.name(),
                    path,
                    other: other.name(),
                    home,
                });
            }
        }
    }
    Ok(())
}

/// The path itself and all that it is below, the longest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let above = path.rmatch_indices('/').map(|(at, _)| &path[..at]);
    std::iter::once(path).chain(above)
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Self::Service(name) | Self::Unbuilt(name) => name,
            Self::Web => "web",
        }
    }
}

#[cfg(test)]
mod tests;
