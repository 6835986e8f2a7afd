//! `cargo x test`: everything, with one closing line over all suites.

use std::hash::{BuildHasher as _, RandomState};

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
    let seed = seed()?;
    for suite in suites(seed) {
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

/// Which order the Rust tests run in: that of `TEST_SEED`, else another one each time.
fn seed() -> Result<u32, Failure> {
    let Some(given) = std::env::var_os("TEST_SEED") else {
        let [seed, ..] = RandomState::new().hash_one(()).to_be_bytes();
        return Ok(seed.into());
    };
    given
        .to_str()
        .and_then(|seed| seed.parse().ok())
        .ok_or_else(|| Failure::new("TEST_SEED must be a number"))
}

/// One test runner.
struct Suite {
    title: String,
    report: Report,
    program: &'static str,
    args: Vec<String>,
    prepare: fn() -> Outcome,
}

impl Suite {
    fn run(&self, tally: &mut Tally) -> Outcome {
        (self.prepare)()?;
        let before = *tally;
        let binary = binary("debug")?;
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let program = Program::new(self.program, &args)
            .env("CI", "1")
            // Reviewed files are compared, whatever the caller's shell says.
            .env("INSTA_UPDATE", "no")
            .env("INSTA_FORCE_PASS", "0")
            // And so are recorded answers.
            .env("WILDFIRE_RECORD_AUTH", "")
            .env("WILDFIRE_BIN", &binary.to_string_lossy());
        program.run_with(&self.title, |line| tally.count(self.report, line))?;
        if *tally == before {
            return Err(Failure::new(format!("{}: no test ran", self.title)));
        }
        Ok(())
    }
}

fn suites(seed: u32) -> [Suite; 4] {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let mut in_any_order: Vec<String> =
        words("test --workspace --locked --no-fail-fast --lib --bins --tests");
    // Only a nightly's test harness shuffles, and any does that believes to be one. It is told so
    // when it runs; set for the compiler, the variable would build every crate another time.
    let runner = r#"target."cfg(all())".runner=["env", "RUSTC_BOOTSTRAP=1"]"#;
    in_any_order.extend(["--config".to_owned(), runner.to_owned()]);
    in_any_order.extend(words("-- -Z unstable-options --shuffle-seed"));
    in_any_order.push(seed.to_string());
    let suite = |title: &str, report, program, args| Suite {
        title: title.to_owned(),
        report,
        program,
        args,
        prepare: || Ok(()),
    };
    [
        Suite {
            title: format!("testing Rust (TEST_SEED={seed} repeats this order)"),
            ..suite("", Report::Cargo, "cargo", in_any_order)
        },
        suite(
            "testing the examples in Rust's documentation",
            Report::Cargo,
            "cargo",
            words("test --workspace --locked --no-fail-fast --doc"),
        ),
        suite(
            "testing the web app",
            Report::Jest,
            "npm",
            words("test --workspace web"),
        ),
        Suite {
            prepare: prepare_end_to_end,
            ..suite(
                "testing end to end",
                Report::Playwright,
                "npm",
                words("test --workspace e2e"),
            )
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
