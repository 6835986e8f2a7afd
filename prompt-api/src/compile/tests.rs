//! The shared vectors, and properties that hold for any template.

use std::time::Duration;

use jiff::Timestamp;
use platform_test::properties::properties;
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;

use super::value::{Value, Variables};
use super::{CompileError, OUTPUT_LIMIT, Options, compile, scan};

const VECTORS: &str = include_str!("../../vectors/compile.json");

#[derive(Deserialize)]
struct Vectors {
    variables: Variables,
    now: Timestamp,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    template: String,
    variables: Option<Variables>,
    non_finite: Option<Variables>,
    #[serde(default)]
    options: CaseOptions,
    output: Option<String>,
    missing: Option<Vec<String>>,
    unused: Option<Vec<String>>,
    error: Option<String>,
}

#[derive(Deserialize, Default)]
struct CaseOptions {
    timezone: Option<String>,
    now: Option<Timestamp>,
    #[serde(default)]
    strict: bool,
}

impl Case {
    fn variables(&self, shared: &Variables) -> Variables {
        let Some(special) = &self.non_finite else {
            return self.variables.as_ref().unwrap_or(shared).clone();
        };
        let members = special.iter().map(|(name, value)| {
            let text = value.to_text().unwrap();
            (name.to_owned(), Value::Number(text.parse().unwrap()))
        });
        Variables::new(members.collect())
    }
}

fn code(error: &CompileError) -> &'static str {
    match error {
        CompileError::MissingVariables(_) => "missing_variables",
        CompileError::InvalidValue(_) => "invalid_value",
        CompileError::UnknownTimezone(_) => "unknown_timezone",
        CompileError::OutputTooLong => "output_too_long",
    }
}

#[test]
fn vectors_compile_as_written() {
    let vectors: Vectors = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.cases.len() > 150);
    for case in &vectors.cases {
        let options = Options {
            now: case.options.now.unwrap_or(vectors.now),
            timezone: case.options.timezone.as_deref(),
            strict: case.options.strict,
        };
        let name = &case.name;
        match compile(
            &case.template,
            &case.variables(&vectors.variables),
            &options,
        ) {
            Ok(compiled) => {
                assert_eq!(Some(&compiled.output), case.output.as_ref(), "{name}");
                let missing = case.missing.as_ref().unwrap_or(&compiled.missing);
                assert_eq!(&compiled.missing, missing, "{name}");
                let unused = case.unused.as_ref().unwrap_or(&compiled.unused);
                assert_eq!(&compiled.unused, unused, "{name}");
            }
            Err(error) => {
                assert_eq!(Some(code(&error)), case.error.as_deref(), "{name}");
                if let (CompileError::MissingVariables(names), Some(missing)) =
                    (&error, &case.missing)
                {
                    assert_eq!(names, missing, "{name}");
                }
            }
        }
    }
}

fn compiled(template: &str, variables: &Variables) -> Result<super::Compiled, CompileError> {
    let options = Options {
        now: Timestamp::UNIX_EPOCH,
        timezone: None,
        strict: false,
    };
    compile(template, variables, &options)
}

fn one(name: &str, text: &str) -> Variables {
    Variables::new(vec![(name.to_owned(), Value::Text(text.to_owned()))])
}

#[test]
fn output_beyond_the_limit_is_refused() {
    let value = "v".repeat(OUTPUT_LIMIT / 4);
    let variables = one("x", &value);
    assert_eq!(
        compiled("{x}{x}{x}{x}", &variables).unwrap().output.len(),
        OUTPUT_LIMIT
    );
    assert_eq!(
        compiled("{x}{x}{x}{x}.", &variables).unwrap_err(),
        CompileError::OutputTooLong
    );
    let missing = "{y}".repeat(OUTPUT_LIMIT / 3) + "..";
    assert_eq!(
        compiled(&missing, &variables).unwrap_err(),
        CompileError::OutputTooLong
    );
}

#[test]
fn warnings_point_at_code_units() {
    let warnings = compiled("👍é{{name}} {usr} {% if %}", &one("user", "x"))
        .unwrap()
        .warnings;
    let found: Vec<(usize, usize)> = warnings.iter().map(|lint| (lint.start, lint.end)).collect();
    assert_eq!(found, [(3, 11), (12, 17), (18, 20)]);
    assert_eq!(warnings[0].replacement.as_deref(), Some("{name}"));
    assert_eq!(
        warnings[1].message,
        "{usr} has no value. Did you mean {user}?"
    );
}

/// Seconds of work one scan and compile of a text take, the best of three.
fn seconds(text: &str) -> f64 {
    let variables = one("x", "");
    let runs = (0..3).map(|_| {
        let start = worked();
        drop(compiled(text, &variables));
        worked() - start
    });
    runs.fold(f64::INFINITY, f64::min)
}

/// Seconds a processor has worked for this thread: on a busy machine the clock on the wall also
/// counts the work of others.
fn worked() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
    .as_secs_f64()
}

/// Sixteen times the text may take sixteen times as long, with room for noise, and not 256 times.
#[test]
fn hostile_templates_take_linear_time() {
    let pieces = [
        "{", "}", "{ ", "{x", "{x ", "{{x}", "{x}}", "{x}", "{a|", "{{a |", "{%", "{\t",
    ];
    for piece in pieces {
        let short = seconds(&piece.repeat(4_000)).max(1e-4);
        let long = seconds(&piece.repeat(64_000));
        assert!(long < short * 100.0, "{piece:?}: {short} s, then {long} s");
    }
}

fn template() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "\\{{1,5}",
        4 => "\\}{1,5}",
        3 => "[ \t]{0,2}",
        4 => prop_oneof![Just("x"), Just("name"), Just("missing"), Just("TODAY"), Just("today")]
            .prop_map(str::to_owned),
        1 => "[a-zA-Z_0-9.|%é👍\n]{0,6}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn any_template_compiles(text in template(), value in any::<String>()) {
        let result = compiled(&text, &one("x", &value)).unwrap();
        prop_assert!(result.unused.len() <= 1);
        for warning in &result.warnings {
            prop_assert!(warning.start <= warning.end);
            prop_assert!(warning.end <= text.encode_utf16().count());
        }
    }

    #[test]
    fn text_without_braces_is_unchanged(text in "[^{}]*") {
        prop_assert_eq!(compiled(&text, &Variables::default()).unwrap().output, text);
    }

    #[test]
    fn tokens_cover_what_they_say(text in template()) {
        let mut at = 0;
        for token in scan(&text) {
            prop_assert!(token.start >= at);
            let written = "{".repeat(token.opening) + token.inner + &"}".repeat(token.closing);
            prop_assert_eq!(&text[token.start..token.end], written);
            prop_assert_eq!(token.inner.trim_matches([' ', '\t']), token.name);
            at = token.end;
        }
    }

    #[test]
    fn values_are_never_read_as_templates(value in "[{}a-z]{0,20}") {
        let result = compiled("<{x}>", &one("x", &value)).unwrap();
        prop_assert_eq!(result.output, format!("<{value}>"));
        prop_assert!(result.missing.is_empty());
    }
}
