//! `cargo x bench`: scenarios against the limit measured in the same run.

use crate::node;
use crate::start::build_release;
use crate::step::{Outcome, Program};

pub(crate) fn run(scenarios: &[String]) -> Outcome {
    node::build_web()?;
    build_release()?;
    let mut args = vec!["run", "--release", "--locked", "--package", "bench", "--"];
    args.extend(scenarios.iter().map(String::as_str));
    Program::new("cargo", &args).run("measuring")
}
