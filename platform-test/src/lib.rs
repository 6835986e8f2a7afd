//! Test support that needs no set-up by hand: a real Postgres started by the test process, a
//! database of its own for every test, and tokens as the auth service would sign them.
//!
//! ```no_run
//! # async fn example() {
//! let database = platform_test::TestDatabase::create().await;
//! let pool = database.pool("authenticator");
//! let token = platform_test::tokens::access_token("7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00");
//! # }
//! ```

#![expect(
    clippy::expect_used,
    reason = "a test that cannot be set up must fail loudly"
)]

mod cluster;
mod database;
pub mod program;
pub mod properties;
pub mod tokens;

pub use cluster::{PASSWORD, parts};
pub use database::TestDatabase;
pub use platform::pg::Sql;

/// Text that a test put together, as a statement. Only here: what a program runs is never made from
/// text, and this keeps the memory for the rest of the process.
#[expect(
    clippy::disallowed_methods,
    reason = "a test process is short, and there is no other way past the type"
)]
pub fn sql(text: impl Into<String>) -> Sql {
    Sql::new(Box::leak(text.into().into_boxed_str()))
}
