//! Counters by client or address, in bounded memory.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Mutex, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;

use super::Origin;

/// Entries a generation holds; there are two.
pub(super) const MOST: usize = 20_000;

/// The older generation is dropped when the younger is full: what has not been touched for
/// longest is forgotten. Keys are kept as digests, so that every entry has the same size.
#[derive(Default)]
pub(super) struct Table<V> {
    hasher: RandomState,
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
}

impl<V: Default> Table<V> {
    /// The entry of this key, made if there is none.
    pub(super) fn entry(&mut self, key: &(impl Hash + ?Sized)) -> &mut V {
        let key = self.hasher.hash_one(key);
        let known = self.old.remove(&key).unwrap_or_default();
        if self.young.len() >= MOST && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.entry(key).or_insert(known)
    }

    /// The entry of this key, if there is one.
    pub(super) fn get(&self, key: &(impl Hash + ?Sized)) -> Option<&V> {
        let key = self.hasher.hash_one(key);
        self.young.get(&key).or_else(|| self.old.get(&key))
    }
}

/// What a rate limiter remembers of each client.
#[derive(Default)]
pub(super) struct Clients(Mutex<Table<Option<Nanos>>>);

impl StateStore for Clients {
    type Key = Origin;

    fn measure_and_replace<T, F, E>(&self, client: &Origin, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = table.entry(client);
        let (outcome, next) = measure(*known)?;
        *known = Some(next);
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_bounded_and_forgets_what_was_touched_longest_ago() {
        let mut table = Table::<usize>::default();
        for n in 0..3 * MOST {
            *table.entry(&n) = n;
            // Somebody who keeps coming is remembered.
            *table.entry("often") += 1;
        }
        assert!(table.young.len() + table.old.len() <= 2 * MOST);
        assert_eq!(table.get(&1), None);
        assert_eq!(table.get(&(3 * MOST - 1)), Some(&(3 * MOST - 1)));
        assert_eq!(table.get("often"), Some(&(3 * MOST)));
    }
}
