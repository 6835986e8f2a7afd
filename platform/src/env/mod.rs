//! Configuration from the environment: typed, with every problem reported at once.
//!
//! Parsing follows Go's `envconfig`, which upstream's services use, so that an existing
//! environment means the same here: booleans as `strconv.ParseBool`, durations as
//! `time.ParseDuration`, lists split on commas without trimming. A variable set to nothing is not set:
//! `${NAME:-}` in a compose file means so.

mod duration;
mod number;
mod reader;
mod secret;

use std::collections::{BTreeMap, BTreeSet};

pub use duration::parse_duration;
pub use number::Number;
pub use reader::{EnvError, Reader};
pub use secret::Secret;

/// A snapshot of environment variables, none of them empty, and of what files say in their place.
// Upstream: an empty variable is a text of no length, and an error where something else is read.
#[derive(Clone, Default)]
pub struct Vars {
    set: BTreeMap<String, String>,
    empty: BTreeSet<String>,
    /// What was written, and where, for variables that nobody set as such.
    origins: BTreeMap<String, String>,
}

/// How the names of variables begin that are read here.
const OURS: [&str; 14] = [
    "ANON_KEY",
    "API_EXTERNAL_URL",
    "DATABASE_URL",
    "DEBUG_ENDPOINTS",
    "GOTRUE_",
    "JWT_",
    "METRICS_TOKEN",
    "OTEL_",
    "POSTGRES_PASSWORD",
    "PROMPT_API_",
    "REQUEST_ID_HEADER",
    "SERVICE_ROLE_KEY",
    "SUPABASE_",
    "WILDFIRE_",
];

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
        self.set.get(name).map(String::as_str)
    }

    /// Sets a variable, replacing what was there; to nothing, it is not set any more.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let (name, value) = (name.into(), value.into());
        self.origins.remove(&name);
        if value.is_empty() {
            self.set.remove(&name);
            self.empty.insert(name);
        } else {
            self.empty.remove(&name);
            self.set.insert(name, value);
        }
    }

    /// Sets a variable to what was written elsewhere: `origin` is file, line and key, such as
    /// `supabase/config.toml:12: auth.email.otp_length`, and stands for the name where problems are told.
    pub fn set_from(
        &mut self,
        origin: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) {
        let name = name.into();
        self.set(name.clone(), value);
        self.origins.insert(name, origin.into());
    }

    /// What whoever wrote its value calls a variable.
    pub fn written_as<'a>(&'a self, name: &'a str) -> &'a str {
        self.origins.get(name).map_or(name, String::as_str)
    }

    /// Sets a variable unless it is already set.
    pub fn set_default(&mut self, name: &str, value: impl Into<String>) {
        if !self.set.contains_key(name) {
            self.set(name, value);
        }
    }

    /// Variables of ours that were set to nothing, which is not what upstream makes of them.
    pub fn empty(&self) -> Vec<&str> {
        let names = self.empty.iter().map(String::as_str);
        let is_ours = |name: &&str| OURS.iter().any(|ours| name.starts_with(ours));
        names.filter(is_ours).collect()
    }

    /// Says in the log which variables have no effect because they are set to nothing: whoever
    /// meant one to protect learns that it does not.
    pub fn warn_of_empty(&self) {
        let names = self.empty();
        if !names.is_empty() {
            let names = names.join(", ");
            tracing::warn!(names, "Variables that are set to nothing count as not set");
        }
    }

    /// All names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.set
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
        formatter.debug_set().entries(self.set.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_ours_that_are_set_to_nothing_are_known_by_name() {
        let mut vars = Vars::from([
            ("GOTRUE_DISABLE_SIGNUP", ""),
            ("GOTRUE_JWT_ADMIN_ROLES", ""),
            ("GOTRUE_JWT_EXP", "60"),
            ("JWT_SECRET", ""),
            ("LS_COLORS", ""),
        ]);
        vars.set("JWT_SECRET", "set later");
        assert_eq!(
            vars.empty(),
            ["GOTRUE_DISABLE_SIGNUP", "GOTRUE_JWT_ADMIN_ROLES"]
        );
        assert_eq!(vars.get("GOTRUE_DISABLE_SIGNUP"), None);
    }
}
