//! Where a database is, for each role that something logs in as.

use std::collections::BTreeMap;
use std::fmt;

use url::Url;

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

/// The database of this URL, for somebody else; with the same password unless another is given.
pub fn as_user(url: &Secret<String>, user: &str, password: Option<&str>) -> String {
    let Ok(mut url) = Url::parse(url.expose()) else {
        return url.expose().clone();
    };
    // Refused only for URLs without a host; whoever connects then says what is wrong.
    _ = url.set_username(user);
    if password.is_some() {
        _ = url.set_password(password);
    }
    url.into()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_replaced_and_the_rest_stays() {
        let url = Secret::from("postgres://owner:secret@db.example:6000/app?sslmode=require");
        assert_eq!(
            as_user(&url, "authenticator", Some("p@ss")),
            "postgres://authenticator:p%40ss@db.example:6000/app?sslmode=require"
        );
        assert_eq!(
            as_user(&url, "authenticator", None),
            "postgres://authenticator:secret@db.example:6000/app?sslmode=require"
        );
    }
}
