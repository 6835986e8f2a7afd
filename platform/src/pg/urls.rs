//! Where a database is, for each role that something logs in as.

use std::collections::BTreeMap;
use std::fmt;

use super::DbError;
use crate::env::Secret;

/// Connection URLs by role.
#[derive(Clone, Default)]
pub struct DatabaseUrls(BTreeMap<String, Secret<String>>);

impl DatabaseUrls {
    /// The URL that logs in as `role`.
    pub fn of(&self, role: &str) -> Result<Secret<String>, DbError> {
        let url = self.0.get(role).cloned();
        url.ok_or_else(|| DbError::Config(format!("nobody said how to log in as {role}")))
    }
}

impl<R: Into<String>, U: Into<String>> FromIterator<(R, U)> for DatabaseUrls {
    fn from_iter<I: IntoIterator<Item = (R, U)>>(urls: I) -> Self {
        let urls = urls.into_iter();
        Self(
            urls.map(|(role, url)| (role.into(), Secret::new(url.into())))
                .collect(),
        )
    }
}

impl fmt::Debug for DatabaseUrls {
    /// Roles only: the URLs hold passwords.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}
