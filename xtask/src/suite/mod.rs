//! Test suites and the tally of what passed.

mod tally;

pub(crate) use tally::{Report, Tally};
