//! What every Wildfire server does alike: request ids, one log line per request, CORS, the
//! client's address, serving until told to stop.

pub mod bearer;
pub mod cors;
pub mod forwarded;
mod observe;
mod serve;

pub use observe::{RequestId, observe};
pub use serve::{REQUEST_HEAD, SHUTDOWN, ServeOptions, run_until_stopped};
