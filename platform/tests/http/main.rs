//! The HTTP layer, by a real server over real sockets.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

mod bodies;
mod connections;
mod peer;
mod pipelining;
#[expect(dead_code, reason = "shared with the tests of its memory")]
mod server;
mod stopping;
