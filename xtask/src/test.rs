//! `cargo x test`: everything, with one closing line over all suites.

use crate::start::binary;
use crate::step::{Failure, Outcome, Program};
use crate::suite::{Report, Tally};
use crate::{browser, check, node};

pub(crate) fn run() -> Outcome {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let mut keep = |outcome: Outcome| {
        if let Err(failure) = outcome {
            eprintln!("\u{2717} {failure}");
            failures.push(failure.to_string());
        }
    };
    // First, so that tests find Postgres and Node's packages.
    node::install()?;
    keep(check::run());
    for suite in suites() {
        keep(suite.run(&mut tally));
    }
    eprintln!("\n{} passed, {} failed", tally.passed, tally.failed);
    if failures.is_empty() && tally.failed == 0 {
        return Ok(());
    }
    Err(Failure::new(format!(
        "not everything passed:\n  {}",
        failures.join("\n  ")
    )))
}

/// One test runner.
struct Suite {
    title: &'static str,
    report: Report,
    program: &'static str,
    args: &'static [&'static str],
    prepare: fn() -> Outcome,
}

impl Suite {
    fn run(&self, tally: &mut Tally) -> Outcome {
        (self.prepare)()?;
        let before = *tally;
        let binary = binary("debug")?;
        let program = Program::new(self.program, self.args)
            .env("CI", "1")
            .env("WILDFIRE_BIN", &binary.to_string_lossy());
        program.run_with(self.title, |line| tally.count(self.report, line))?;
        if *tally == before {
            return Err(Failure::new(format!("{}: no test ran", self.title)));
        }
        Ok(())
    }
}

fn suites() -> [Suite; 3] {
    [
        Suite {
            title: "testing Rust",
            report: Report::Cargo,
            program: "cargo",
            args: &["test", "--workspace", "--locked", "--no-fail-fast"],
            prepare: || Ok(()),
        },
        Suite {
            title: "testing the web app",
            report: Report::Jest,
            program: "npm",
            args: &["test", "--workspace", "web"],
            prepare: || Ok(()),
        },
        Suite {
            title: "testing end to end",
            report: Report::Playwright,
            program: "npm",
            args: &["test", "--workspace", "e2e"],
            prepare: prepare_end_to_end,
        },
    ]
}

/// The end-to-end suite starts the binary and drives a browser.
fn prepare_end_to_end() -> Outcome {
    browser::install()?;
    node::build_web()?;
    Program::new("cargo", &["build", "--package", "stack", "--locked"])
        .run("building wildfire for the end-to-end tests")
}
