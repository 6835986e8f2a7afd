//! The prompt platform's API.

pub mod compile;
