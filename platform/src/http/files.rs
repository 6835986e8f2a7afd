//! How many files this process may have open. Each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files kept for everything but clients: the database, mail, the log, the web app.
const RESERVED: usize = 256;

/// Raises the limit as far as this process may, and returns how many connections it leaves room for.
///
/// What the shell gives is often 1,024, from a time when programs that called `select` could take
/// no more.
pub(super) fn raise_limit() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    });
    files.saturating_sub(RESERVED).max(1)
}
