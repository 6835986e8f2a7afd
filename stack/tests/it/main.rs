//! Tests that need more than one part of the stack, against a real Postgres.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

mod alone;
mod deployment;
mod dummy;
mod hostile;
mod house;
mod lent;
mod newcomer;
mod planted;
mod production;
mod rights;
mod seed;
mod serving;
mod started;
mod upgrade;
