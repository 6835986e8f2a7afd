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
mod service;
mod state;
mod usage;
mod waitlist;

pub use config::{AloneConfig, Config};
pub use routes::mount;
pub use service::{MigrateError, SERVICE, migrate, plan};
pub use state::State;
