//! Postgres: a pool, sessions that act for a caller, rows by column name, migrations.
//!
//! [`Session`] is the only place in Wildfire that sets a role and claims, so that permission
//! rules written as row level security hold for every service alike. Statements are prepared
//! once per connection and what belongs together is sent in one flight.

mod availability;
mod budget;
mod client;
mod connection;
mod error;
mod health;
pub mod migrate;
mod pool;
mod prepared;
mod reach;
mod row;
mod session;
mod settings;
mod sql;
mod tls;
mod urls;

pub use budget::{Budget, Offer, PoolPlan};
pub use client::{Answer, Client, Executor, Tx};
pub use error::DbError;
pub use pool::{Crowd, Database, DatabaseConfig, RetryHint};
pub use reach::{Unreachable, address, reach};
pub use row::{FromRow, column};
pub use session::Session;
pub use settings::{Function, Isolation, RequestSettings, RoleSettings, Setting, Settings};
pub use sql::{Ident, QuoteError, Sql};
pub use tokio_postgres::Row;
pub use tokio_postgres::error::SqlState;
pub use tokio_postgres::types::{Json, ToSql, Type};
pub use urls::{DatabaseUrls, as_user};

/// Parameters of a statement, in order.
pub type Params<'a> = &'a [&'a (dyn ToSql + Sync)];
