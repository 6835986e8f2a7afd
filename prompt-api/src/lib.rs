//! The prompt platform's API: prompts, versions, compile.
//!
//! Permission rules live in the database as row level security; every statement runs with the
//! caller's role and claims. The template engine in [`compile`] knows no I/O.

pub mod compile;

mod caller;
mod compile_request;
mod config;
mod db;
mod error;
mod etag;
mod json;
mod prompts;
mod query;
mod routes;
mod state;
mod usage;
mod waitlist;

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations};

pub use config::Config;
pub use routes::configure;
pub use state::{StartError, State};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire");

/// The migrations of the schemas `wildfire` and `wildfire_private`; they need those of `auth` first.
pub fn migrations() -> Migrations {
    Migrations::embedded("wildfire", Ledger::Own, &FILES)
}
