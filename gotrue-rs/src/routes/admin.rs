//! Routes for admins. Mirrors upstream's `admin.go`, `audit.go` and `mail.go`.

mod audit;
mod generate_link;
pub(crate) mod new_account;
mod paging;
mod users;

use platform::http::mount::Mount;

use crate::caller::Admin;
use crate::routes::{nothing, resource};

/// Mounts the routes.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    audit::configure(cfg);
    generate_link::configure(cfg);
    users::configure(cfg);
    resource::<Admin, _>(cfg, &["/admin{rest:(/.*)?}"], nothing);
}
