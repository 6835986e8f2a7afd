//! `cargo x start`: builds what changed and hands over to `wildfire start`.

use crate::node;
use crate::root;
use crate::step::{Outcome, Program};

pub(crate) fn run(options: &[String]) -> Outcome {
    node::build_web()?;
    build_release()?;
    let binary = root().join("target/release/wildfire");
    let mut args = vec!["start"];
    args.extend(options.iter().map(String::as_str));
    Program::new(&binary.to_string_lossy(), &args).run("starting Wildfire")
}

/// Builds the `wildfire` binary as it is shipped.
pub(crate) fn build_release() -> Outcome {
    Program::new(
        "cargo",
        &["build", "--release", "--package", "stack", "--locked"],
    )
    .run("building the wildfire binary (a few minutes the first time)")
}
