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
pub mod properties;
pub mod tokens;

pub use database::TestDatabase;
