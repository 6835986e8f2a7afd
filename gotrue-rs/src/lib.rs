//! Accounts and sessions: a drop-in for supabase/auth.
//!
//! The library is mounted either by its own binary or, under `/auth/v1`, by the stack.

mod accounts;
mod audit;
mod call;
mod caller;
mod config;
mod db;
mod error;
mod json;
mod limits;
mod mail;
mod middleware;
mod otp;
mod redirect;
mod routes;
mod sessions;
mod state;

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations};

pub use config::{Config, ListenConfig};
pub use routes::configure;
pub use state::{Deps, State};

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth");
static OWN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth_own");

/// The `auth` schema, recorded where upstream records its own migrations.
pub fn migrations() -> Migrations {
    Migrations::embedded(
        "auth",
        Ledger::Upstream("auth.schema_migrations"),
        &MIGRATIONS,
    )
}

/// What the service keeps beside that schema, after it; upstream's record shows nothing of it.
pub fn own_migrations() -> Migrations {
    Migrations::embedded("auth_own", Ledger::Own, &OWN)
}
