//! The prompt API as a process of its own.
fn main() {}
