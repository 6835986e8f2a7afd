//! Metadata of users: every access token carries it, so there is a bound on how much.

use jiff::Timestamp;
use platform::jwt::MAX_TOKEN_BYTES;
use platform::pg::Tx;

use crate::db;
use crate::db::users::User;
use crate::error::Error;
use crate::json::{self, Document};
use crate::refusal::Refusal;

/// How long either document may be, as JSON in bytes. A token with both is one that every service
/// takes (`platform::jwt::MAX_TOKEN_BYTES`).
// Upstream: knows no bound; a megabyte of metadata makes tokens that no server takes.
const LONGEST: usize = 8 * 1024;

/// What the service itself adds to a document: whose it is, addresses, whether they were confirmed.
const ADDED: usize = 512;

// In base64 both documents and a kilobyte of other claims fit into a token.
const _: () = assert!((2 * (LONGEST + ADDED) + 2048) / 3 * 4 < MAX_TOKEN_BYTES);

/// Whether tokens can carry a document.
pub(crate) fn fits(document: &Document) -> bool {
    length(document) <= LONGEST + ADDED
}

fn length(document: &Document) -> usize {
    json::to_string(document).len()
}

fn check(name: &str, document: &Document) -> Result<(), Error> {
    if length(document) <= LONGEST {
        return Ok(());
    }
    let text = format!("{name} cannot be longer than {LONGEST} bytes");
    Err(Refusal::invalid(text).into())
}

/// Refuses metadata of an account about to be made that is too long.
pub(crate) fn check_new(data: Option<&Document>) -> Result<(), Error> {
    data.map_or(Ok(()), |data| check("user_metadata", data))
}

/// Changes to the metadata of an account.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Changes<'a> {
    pub(crate) own: Option<&'a Document>,
    pub(crate) app: Option<&'a Document>,
}

impl Changes<'_> {
    fn is_empty(&self) -> bool {
        self.own.is_none() && self.app.is_none()
    }
}

/// Lays changes over the metadata of a user and stores them, unless the outcome is too long.
///
/// Of a document that was too long before there was a bound, keys can always be removed.
pub(crate) async fn merge(
    tx: &Tx<'_>,
    user: &mut User,
    changes: Changes<'_>,
    now: Timestamp,
) -> Result<(), Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let nothing = Document::default();
    let own = changes.own.unwrap_or(&nothing);
    let app = changes.app.unwrap_or(&nothing);
    db::users::merge_metadata(tx, user, own, app, now)
        .await
        .map_err(Error::saying("Error updating user"))?;
    let adds = |changes: &Document| changes.values().any(|value| !value.is_null());
    if adds(own) {
        check("user_metadata", &user.user_metadata)?;
    }
    if adds(app) {
        check("app_metadata", &user.app_metadata)?;
    }
    Ok(())
}
