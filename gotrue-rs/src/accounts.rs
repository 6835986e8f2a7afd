//! Accounts: passwords, what may be a password, addresses and how an account comes to be.

pub(crate) mod change;
pub(crate) mod identity;
pub(crate) mod metadata;
pub(crate) mod password;
pub(crate) mod phone;
pub(crate) mod pkce;
pub(crate) mod policy;
pub(crate) mod sign_up;
pub(crate) mod totp;
pub(crate) mod validate;

pub(crate) use sign_up::{NewAccount, SignUpOutcome, check_open, open, sign_up};
