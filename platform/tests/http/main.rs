//! The HTTP layer, by a real server over real sockets.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

mod bodies;
mod connections;
mod lines;
mod observing;
mod peer;
mod pipelining;
mod server;
mod stopping;
mod upgrades;
