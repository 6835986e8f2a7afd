//! What every Wildfire server does alike: deadlines and bounds for clients, request ids, one log
//! line per request, CORS, the client's address, serving until told to stop.

pub mod bearer;
pub mod body;
mod client;
mod config;
mod connection;
pub mod cors;
mod files;
pub mod forwarded;
mod framing;
pub mod mount;
mod observe;
mod requests;
mod serve;
mod server;
mod shared;
mod stream;
pub mod upgrade;
mod watch;

pub use client::{FetchError, HttpClient};
pub use config::HttpConfig;
pub use connection::{Connections, network};
pub use observe::{AnsweredBy, RequestId, observe};
pub use requests::SharedBytes;
pub use serve::{ServeOptions, run_until_stopped};
pub use server::{LONGEST_STOP, serve, stop};
