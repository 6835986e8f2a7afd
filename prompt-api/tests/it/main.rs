//! The API against a real Postgres, a database for each test.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail loudly"
)]

mod access;
mod api;
mod bad_input;
mod by_key;
mod compile;
mod direct_writes;
mod isolation;
mod lists;
mod program;
mod prompts;
mod provisioning;
mod schemas;
mod service;
mod sessions;
mod unavailable;
mod versions;
