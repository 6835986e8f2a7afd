//! Statements that were prepared on a connection, by their text and by whom they act for.
//!
//! Texts that a program generates have no end, so what is kept has: a text that has not been asked for
//! in a while makes room, and its statement is closed on the server.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use quick_cache::unsync::Cache;
use quick_cache::{Equivalent, Weighter};
use tokio_postgres::Statement;

use super::Sql;

/// Most statements of one connection.
const MOST: u64 = 256;

/// Most bytes of their texts; Postgres holds a multiple of that.
const MOST_BYTES: u64 = 1 << 20;

/// Longest text that is kept, bytes: a few of them must not take the place of all others.
const LONGEST: usize = 64 << 10;

/// A text as somebody runs it. Names in it mean what the search path says, and under row level
/// security a plan belongs to one role: Postgres would plan again whenever another one runs it.
struct Key {
    acting: Box<str>,
    sql: Sql,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&*self.acting, &self.sql).hash(state);
    }
}

/// A [`Key`] that is only looked for.
#[derive(Hash)]
struct Wanted<'a>(&'a str, &'a Sql);

impl Equivalent<Key> for Wanted<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        *self.0 == *key.acting && *self.1 == key.sql
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Wanted(&self.acting, &self.sql).equivalent(other)
    }
}

impl Eq for Key {}

/// Counts a short text as a share of all bytes, so that one sum bounds number and bytes.
#[derive(Clone)]
struct Share;

impl Weighter<Key, Statement> for Share {
    fn weight(&self, key: &Key, _: &Statement) -> u64 {
        let bytes = key.acting.len() + key.sql.as_str().len();
        u64::try_from(bytes)
            .unwrap_or(u64::MAX)
            .max(MOST_BYTES / MOST)
    }
}

pub(super) struct Prepared(Mutex<Cache<Key, Statement, Share>>);

impl Default for Prepared {
    fn default() -> Self {
        let usual = 64;
        Self(Mutex::new(Cache::with_weighter(usual, MOST_BYTES, Share)))
    }
}

impl Prepared {
    pub(super) fn get(&self, acting: &str, sql: &Sql) -> Option<Statement> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&Wanted(acting, sql)).cloned()
    }

    /// Keeps a statement, and drops, which closes, what has to make room.
    pub(super) fn keep(&self, acting: &str, sql: &Sql, statement: &Statement) {
        if sql.as_str().len() <= LONGEST {
            let key = Key {
                acting: acting.into(),
                sql: sql.clone(),
            };
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.insert(key, statement.clone());
        }
    }

    pub(super) fn clear(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
    }
}
