//! `cargo x start`: builds what changed and hands over to `wildfire start`.

use std::path::PathBuf;

use crate::node;
use crate::step::{Failure, Outcome, Program};

pub(crate) fn run(options: &[String]) -> Outcome {
    node::build_web()?;
    build_release()?;
    let binary = binary("release")?;
    let mut args = vec!["start"];
    args.extend(options.iter().map(String::as_str));
    Program::new(&binary.to_string_lossy(), &args).become_it("starting Wildfire")
}

/// Where Cargo puts the `wildfire` binary of a profile (`debug` or `release`).
pub(crate) fn binary(profile: &str) -> Result<PathBuf, Failure> {
    let arguments = ["metadata", "--format-version", "1", "--no-deps"];
    let metadata = Program::new("cargo", &arguments)
        .output()
        .unwrap_or_default();
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap_or_default();
    let target = metadata["target_directory"].as_str();
    let target = target.ok_or_else(|| Failure::new("`cargo metadata` did not work"))?;
    Ok(PathBuf::from(target).join(profile).join("wildfire"))
}

/// Builds the `wildfire` binary as it is shipped.
pub(crate) fn build_release() -> Outcome {
    Program::new(
        "cargo",
        &["build", "--release", "--package", "stack", "--locked"],
    )
    .run("building the wildfire binary (a few minutes the first time)")
}
