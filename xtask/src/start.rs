//! `cargo x start`: builds what changed and hands over to `wildfire start`. Other commands of
//! `wildfire` go to what was built last.

use std::path::PathBuf;

use crate::node;
use crate::step::{Failure, Outcome, Program};

pub(crate) fn run(options: &[String]) -> Outcome {
    node::build_web()?;
    build("release")?;
    wildfire(&["start".to_owned()], options)?.become_it()
}

/// Has the built `wildfire` answer these arguments.
pub(crate) fn hand_on(arguments: &[String]) -> Outcome {
    if !binary("release")?.is_file() {
        return Err(Failure::new(format!(
            "nothing answers {:?} before Wildfire is built: run `cargo x start` once, or see \
             `cargo x help`",
            arguments.join(" ")
        )));
    }
    wildfire(arguments, &[])?.become_it()
}

/// The built program, in the folder that it was asked for in.
fn wildfire(command: &[String], options: &[String]) -> Result<Program, Failure> {
    let arguments: Vec<&str> = command.iter().chain(options).map(String::as_str).collect();
    let binary = binary("release")?;
    let program = Program::new(&binary.to_string_lossy(), &arguments);
    Ok(program
        .env("WILDFIRE_CALLED_AS", "cargo x")
        .from(std::env::current_dir()?))
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

/// Builds the `wildfire` binary in a profile (`release`, or `dist` as it is shipped).
pub(crate) fn build(profile: &str) -> Outcome {
    let arguments = [
        "build",
        "--profile",
        profile,
        "--package",
        "stack",
        "--locked",
    ];
    Program::new("cargo", &arguments)
        .run("building the wildfire binary (a few minutes the first time)")
}
