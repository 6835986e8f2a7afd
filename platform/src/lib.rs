//! What two or more Wildfire services need and that knows no service.
//!
//! `service` is the contract between a service and the process it lives in; `env` reads
//! configuration, `jwt`, `keys` and `api_keys` handle credentials, `pg` talks to Postgres
//! (the only place that sets a role and claims), `http` holds what every server does alike,
//! `mail` sends mail, `telemetry` logs and counts, `clock` tells the time, `memory` gives back what
//! is free.

pub mod api_keys;
pub mod clock;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod env;
pub mod health;
pub mod http;
pub mod json;
pub mod jwt;
pub mod keys;
pub mod mail;
pub mod memory;
pub mod pg;
pub mod service;
pub mod telemetry;
