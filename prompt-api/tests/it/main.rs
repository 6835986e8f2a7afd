//! The API against a real Postgres, a database for each test.

mod access;
mod api;
mod bad_input;
mod by_key;
mod compile;
mod direct_writes;
mod isolation;
mod prompts;
mod provisioning;
mod service;
mod versions;
