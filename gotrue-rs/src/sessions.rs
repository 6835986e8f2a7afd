//! Sessions: starting, refreshing, checking and ending them.
//!
//! Mirrors upstream's `internal/tokens/service.go`.

mod access_token;
mod issue;
mod method;
mod raise;
pub(crate) mod refresh;
mod refresh_token;
pub(crate) mod validity;

pub(crate) use issue::{Grant, PasswordVerdict, SessionTokens, issue};
pub(crate) use method::AuthMethod;
pub(crate) use raise::raise;
