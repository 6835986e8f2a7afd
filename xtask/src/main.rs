//! `cargo x`: the one way to start, check, test and measure Wildfire.
//!
//! Each command is a list of steps; a step prints what it does and, on failure, what to do about
//! it. Nothing here needs more than Rust and Node.

#![expect(clippy::print_stderr, reason = "a command-line tool talks to its user")]

mod bench;
mod browser;
mod check;
mod docs;
mod env_example;
mod node;
mod record;
mod start;
mod step;
mod suite;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use step::{Failure, Outcome};

const USAGE: &str = "cargo x <command>

  start [options]   build what changed and start Wildfire (options go to `wildfire start`)
  test              everything: format, lints, unit, HTTP, web, SDK and end-to-end tests
  check             the fast part of `test`, before a commit
  bench [name…]     measure scenarios against the limit of the machine
  chaos [name…]     attack a production installation and tell what honest users saw
  docs [--check]    regenerate docs/configuration.md and .env.example
  record-auth …     ask upstream's auth service again what the corpus asks

The `wildfire` that `start` built answers: status, stop, migrate, db reset, keys, doctor,
backup, restore.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n\u{2717} {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Outcome {
    let rest = args.get(1..).unwrap_or_default();
    match args.first().map(String::as_str) {
        Some("start") => start::run(rest),
        Some("test") => test::run(),
        Some("check") => check::run(),
        Some("bench") => bench::run(rest),
        Some("chaos") => bench::chaos(rest),
        Some("docs") => docs::run(rest),
        Some("record-auth") => record::run(rest),
        Some("help" | "--help" | "-h") | None => {
            eprintln!("{USAGE}");
            Ok(())
        }
        Some("status" | "stop" | "migrate" | "db" | "keys" | "doctor" | "backup" | "restore") => {
            start::hand_on(args)
        }
        Some(unknown) => Err(Failure::new(format!(
            "unknown command {unknown:?}\n\n{USAGE}"
        ))),
    }
}

/// The repository's root: the folder above this crate.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
        .to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_nobody_has_is_told_with_those_there_are() {
        let failure = run(&["tset".to_owned()]).unwrap_err().to_string();
        assert!(failure.starts_with("unknown command \"tset\""), "{failure}");
        assert!(failure.ends_with(USAGE), "{failure}");
    }
}
