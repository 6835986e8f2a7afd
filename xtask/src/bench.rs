//! `cargo x bench` and `cargo x chaos`: the binary that is shipped, under load and under attack.

use crate::node;
use crate::start::build;
use crate::step::{Outcome, Program};

/// Scenarios against the limit measured in the same run.
pub(crate) fn run(scenarios: &[String]) -> Outcome {
    with_shipped_binary("measuring", &[], scenarios)
}

/// Hostile shapes, and what honest users saw meanwhile.
pub(crate) fn chaos(scenarios: &[String]) -> Outcome {
    with_shipped_binary("attacking", &["chaos"], scenarios)
}

fn with_shipped_binary(title: &str, command: &[&str], scenarios: &[String]) -> Outcome {
    node::build_web()?;
    build("dist")?;
    let mut args = vec![
        "run",
        "--profile",
        "dist",
        "--locked",
        "--package",
        "bench",
        "--",
    ];
    args.extend(command);
    args.extend(scenarios.iter().map(String::as_str));
    Program::new("cargo", &args).run(title)
}
