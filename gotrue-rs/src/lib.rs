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
mod extract;
mod json;
mod limits;
mod mail;
mod middleware;
mod named;
mod otp;
mod redirect;
mod refusal;
mod routes;
mod service;
mod sessions;
mod state;
mod tending;

pub use config::{AloneConfig, Config};
pub use routes::mount;
pub use service::{SERVICE, plan};
pub use state::{Deps, State};
