//! The service over HTTP against a real Postgres, one file per group of routes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot be set up must fail loudly"
)]

mod app;
mod support;

mod admin_audit;
mod admin_list;
mod admin_users;
mod caller;
mod corpus;
mod enumeration;
mod errors;
mod factors;
mod gates;
mod generate_link;
mod guessing;
mod invite;
mod letter;
mod limits;
mod logout;
mod magiclink;
mod mail;
mod metadata;
mod migrations;
mod otp;
mod outbox;
mod program;
mod public;
mod races;
mod reauthenticate;
mod recover;
mod refresh;
mod resend;
mod signup;
mod takeover;
mod token;
mod unavailable;
mod user;
mod verify;
mod verify_link;
