//! The engine here and the one of the web app must compile the same, warnings included.
//!
//! Runs 100,000 random templates through both, other ones each time: `PROPTEST_RNG_SEED` repeats a run.
//! What is found becomes a row of `vectors/compile.json`. Needs Node and the packages of `web/`, as the web
//! app itself does.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail loudly"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use jiff::Timestamp;
use prompt_api::compile::{CompileError, Options, Variables, compile};
use serde_json::{Value, json};

const CASES: u64 = 100_000;

/// xorshift64*, whose state is never zero.
struct Random(u64);

impl Random {
    fn next(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap() % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }
}

const PIECES: &[&str] = &[
    "{",
    "{",
    "}",
    "}",
    "{{",
    "}}",
    "{{{",
    "}}}",
    "{{{{",
    "}}}}}",
    " ",
    "\t",
    "\n",
    "\r\n",
    "x",
    "name",
    "nmae",
    "user",
    "usr",
    "TODAY",
    "today",
    "Now",
    "TIMESTAMP",
    "n",
    "{x}",
    "{name}",
    "{ x }",
    "{{x}}",
    "{TIME}",
    "{%",
    "%}",
    "{{ x | f }}",
    "|",
    "é",
    "👍",
    "日本",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "$1",
    "$&",
    "\\1",
    "1",
    "1a",
    "a-b",
    "a.b",
    "__proto__",
    "constructor",
    "_",
    "\"",
    ":",
    ",",
    "\u{7f}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

const NAMES: &[&str] = &[
    "x",
    "name",
    "user",
    "n",
    "today",
    "TODAY",
    "__proto__",
    "constructor",
    "toString",
    "10",
    "2",
    "-1",
    "a b",
    "",
    "é",
    "👍",
    "\u{ff5e}",
    "persona",
    "_",
    "01",
];

const VALUES: &[&str] = &[
    "\"\"",
    "\"V\"",
    "\"{name}\"",
    "\"$1 $& \\\\1\"",
    "\"é👍\"",
    "\"a\\r\\nb\\u0001\"",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1.5",
    "1e21",
    "1e-7",
    "123456789012345678901",
    "9007199254740993",
    "0.1",
    "5e-324",
    "-1.5e300",
    "[]",
    "{}",
    "[1,\"é\",null,[true]]",
    "{\"b\":1,\"a\":{\"2\":1,\"1\":2,\"x\":\"\\u2028\\u007f\"}}",
    "[{\"__proto__\":1}]",
    "\"{\"",
    "\"}}\"",
];

const ZONES: &[&str] = &[
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Nowhere/None",
    "",
];

fn case(random: &mut Random) -> String {
    let pieces = random.next(14);
    let template: String = (0..pieces).map(|_| random.pick(PIECES)).collect();
    let count = random.next(5);
    let variables: Vec<String> = (0..count)
        .map(|_| format!("{}:{}", json!(random.pick(NAMES)), random.pick(VALUES)))
        .collect();
    let seconds = i64::try_from(random.next(2_000_000_000)).unwrap();
    let now = Timestamp::from_millisecond(seconds * 1000 + 999).unwrap();
    let timezone = random.pick(ZONES);
    let strict = random.next(8) == 0;
    let options = json!({ "now": now.to_string(), "timezone": timezone, "strict": strict });
    let template = json!(template);
    format!(
        r#"{{"template":{template},"variables":{{{}}},"options":{options}}}"#,
        variables.join(",")
    )
}

fn ours(line: &str) -> Value {
    #[derive(serde::Deserialize)]
    struct Case {
        template: String,
        variables: Variables,
        options: CaseOptions,
    }
    #[derive(serde::Deserialize)]
    struct CaseOptions {
        now: Timestamp,
        timezone: String,
        strict: bool,
    }
    let case: Case = serde_json::from_str(line).unwrap();
    let options = Options {
        now: case.options.now,
        timezone: Some(&case.options.timezone),
        strict: case.options.strict,
    };
    match compile(&case.template, &case.variables, &options) {
        Ok(done) => json!({
            "output": done.output, "missing": done.missing, "unused": done.unused,
            "warnings": done.warnings, "system": done.system,
        }),
        Err(CompileError::MissingVariables(names)) => json!({
            "error": "missing_variables", "missing": names,
        }),
        Err(CompileError::InvalidValue(_)) => json!({ "error": "invalid_value" }),
        Err(CompileError::UnknownTimezone(_)) => json!({ "error": "unknown_timezone" }),
        Err(CompileError::OutputTooLong) => json!({ "error": "output_too_long" }),
    }
}

fn start_other() -> Child {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    Command::new("node")
        .arg("scripts/compile-ndjson.mjs")
        .current_dir(&web)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("Node could not be started ({error}). Install Node 20 and run `npm install`.")
        })
}

#[test]
fn both_engines_compile_alike() {
    let mut random = Random(platform_test::properties::seed().max(1));
    let cases: Vec<String> = (0..CASES).map(|_| case(&mut random)).collect();
    let mut other = start_other();
    let mut input = other.stdin.take().unwrap();
    let text = cases.join("\n") + "\n";
    // A broken pipe shows as missing answers below, with the reason on standard error.
    let writer = thread::spawn(move || input.write_all(text.as_bytes()));
    let answers = BufReader::new(other.stdout.take().unwrap());
    let mut compared = 0;
    for (line, case) in answers.lines().zip(&cases) {
        let theirs: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(theirs, ours(case), "{case}");
        compared += 1;
    }
    drop(writer.join());
    let status = other.wait().unwrap();
    assert!(
        status.success(),
        "the web app's engine failed; run `npm install` in the root first"
    );
    assert_eq!(compared, cases.len(), "answers are missing");
}
