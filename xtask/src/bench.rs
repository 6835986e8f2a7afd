//! `cargo x bench` and `cargo x chaos`: the release binary under load and under attack.

use crate::node;
use crate::start::build_release;
use crate::step::{Outcome, Program};

/// Scenarios against the limit measured in the same run.
pub(crate) fn run(scenarios: &[String]) -> Outcome {
    with_release_binary("measuring", &[], scenarios)
}

/// Hostile shapes, and what honest users saw meanwhile.
pub(crate) fn chaos(scenarios: &[String]) -> Outcome {
    with_release_binary("attacking", &["chaos"], scenarios)
}

fn with_release_binary(title: &str, command: &[&str], scenarios: &[String]) -> Outcome {
    node::build_web()?;
    build_release()?;
    let mut args = vec!["run", "--release", "--locked", "--package", "bench", "--"];
    args.extend(command);
    args.extend(scenarios.iter().map(String::as_str));
    Program::new("cargo", &args).run(title)
}
