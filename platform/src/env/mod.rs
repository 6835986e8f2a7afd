//! Configuration from the environment: typed, with every problem reported at once.
//!
//! Parsing follows Go's `envconfig`, which upstream's services use, so that an existing
//! environment means the same here: booleans as `strconv.ParseBool`, durations as
//! `time.ParseDuration`, lists split on commas without trimming. A variable set to nothing is not set:
//! `${NAME:-}` in a compose file means so.

mod duration;
mod reader;
mod secret;

use std::collections::BTreeMap;

pub use duration::parse_duration;
pub use reader::{EnvError, Reader};
pub use secret::Secret;

/// A snapshot of environment variables, none of them empty.
// Upstream: an empty variable is a text of no length, and an error where something else is read.
#[derive(Clone, Default)]
pub struct Vars(BTreeMap<String, String>);

impl Vars {
    /// The variables of this process; entries that are not UTF-8 are left out.
    pub fn process() -> Self {
        let pairs = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        pairs.collect()
    }

    /// The value of a variable, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Sets a variable, replacing what was there; to nothing, it is not set any more.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let (name, value) = (name.into(), value.into());
        if value.is_empty() {
            self.0.remove(&name);
        } else {
            self.0.insert(name, value);
        }
    }

    /// Sets a variable unless it is already set.
    pub fn set_default(&mut self, name: &str, value: impl Into<String>) {
        if !self.0.contains_key(name) {
            self.set(name, value);
        }
    }

    /// All names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<K: Into<String>, V: Into<String>, const N: usize> From<[(K, V); N]> for Vars {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Vars {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut vars = Self::default();
        for (name, value) in pairs {
            vars.set(name, value);
        }
        vars
    }
}

impl std::fmt::Debug for Vars {
    /// Names only: values may be secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
