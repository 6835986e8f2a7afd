//! Tests that need more than one part of the stack, against a real Postgres.

mod deployment;
mod seed;
