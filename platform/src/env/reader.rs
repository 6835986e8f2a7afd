//! Reads typed values out of [`Vars`] and collects every problem on the way.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Number, Secret, Vars, parse_duration};

/// Everything that is wrong with the configuration, one line each.
#[derive(Debug, thiserror::Error)]
#[error("configuration is not valid:\n{}", problems.join("\n"))]
pub struct EnvError {
    problems: Vec<String>,
}

/// Reads variables; a bad value is noted and a stand-in returned, so that one run reports all.
///
/// Callers read everything they need and then call [`Reader::finish`]; nothing read before that
/// may be used if it fails.
pub struct Reader<'a> {
    vars: &'a Vars,
    problems: RefCell<Vec<String>>,
}

impl<'a> Reader<'a> {
    /// A reader over `vars`.
    pub fn new(vars: &'a Vars) -> Self {
        Self {
            vars,
            problems: RefCell::default(),
        }
    }

    /// The variable's text, if set.
    pub fn string(&self, name: &str) -> Option<String> {
        self.vars.get(name).map(str::to_owned)
    }

    /// The variable's text or `default`.
    pub fn string_or(&self, name: &str, default: &str) -> String {
        self.vars.get(name).unwrap_or(default).to_owned()
    }

    /// The variable's text; not being set is a problem.
    pub fn required(&self, name: &str) -> String {
        self.string(name).unwrap_or_else(|| {
            self.problem(name, "is required but not set");
            String::new()
        })
    }

    /// The variable as a secret, if set.
    pub fn secret(&self, name: &str) -> Option<Secret<String>> {
        self.string(name).map(Secret::new)
    }

    /// The variable as a secret; not being set is a problem.
    pub fn required_secret(&self, name: &str) -> Secret<String> {
        Secret::new(self.required(name))
    }

    /// A boolean in the spellings of Go's `ParseBool`.
    pub fn bool(&self, name: &str, default: bool) -> bool {
        match self.vars.get(name) {
            None => default,
            Some("1" | "t" | "T" | "true" | "TRUE" | "True") => true,
            Some("0" | "f" | "F" | "false" | "FALSE" | "False") => false,
            Some(value) => {
                self.problem(name, &format!("must be true or false, not {value:?}"));
                default
            }
        }
    }

    /// A number.
    pub fn number<T: Number>(&self, name: &str, default: T) -> T {
        let Some(value) = self.vars.get(name) else {
            return default;
        };
        value.parse().unwrap_or_else(|_| {
            self.problem(name, &format!("must be {}, not {value:?}", T::expected()));
            default
        })
    }

    /// A number within these bounds; the log says of any other that `default` counts.
    pub fn number_within<T: Number>(
        &self,
        name: &str,
        default: T,
        bounds: &RangeInclusive<T>,
    ) -> T {
        let set = self.number(name, default);
        if bounds.contains(&set) {
            return set;
        }
        let (least, most) = (bounds.start(), bounds.end());
        self.remark(
            name,
            &format!("is {set}, and may be {least} to {most}; {default} counts"),
        );
        default
    }

    /// A number of which there must be at least one.
    pub fn positive(&self, name: &str, default: usize) -> usize {
        let number = self.number(name, default);
        if number == 0 {
            self.problem(name, "must be at least 1");
        }
        number
    }

    /// A duration in Go's syntax, such as `1m30s`.
    pub fn duration(&self, name: &str, default: Duration) -> Duration {
        self.optional_duration(name).unwrap_or(default)
    }

    /// A duration in Go's syntax, `None` when not set.
    pub fn optional_duration(&self, name: &str) -> Option<Duration> {
        let value = self.vars.get(name)?;
        let parsed = parse_duration(value);
        if parsed.is_none() {
            self.problem(
                name,
                &format!("must be a duration such as 1m30s, not {value:?}"),
            );
        }
        parsed
    }

    /// A whole number of seconds.
    pub fn seconds(&self, name: &str, default: u64) -> Duration {
        Duration::from_secs(self.number(name, default))
    }

    /// A comma-separated list; not set gives an empty list.
    pub fn list(&self, name: &str) -> Vec<String> {
        match self.vars.get(name) {
            None => Vec::new(),
            Some(value) => value.split(',').map(str::to_owned).collect(),
        }
    }

    /// A comma-separated list of `key:value` pairs.
    pub fn map(&self, name: &str) -> Vec<(String, String)> {
        let pairs = self.list(name);
        let parsed = pairs.iter().filter_map(|pair| {
            let split = pair.split_once(':');
            if split.is_none() {
                self.problem(name, &format!("must be key:value pairs, not {pair:?}"));
            }
            split.map(|(key, value)| (key.to_owned(), value.to_owned()))
        });
        parsed.collect()
    }

    /// The name of the two that is set; `first` when neither or both are.
    pub fn either<'n>(&self, first: &'n str, second: &'n str) -> &'n str {
        let only_second = self.vars.get(first).is_none() && self.vars.get(second).is_some();
        if only_second { second } else { first }
    }

    /// Notes a problem with a variable, found by the caller. Where a file stands for the variable, the
    /// file, its line and its key are named instead.
    pub fn problem(&self, name: &str, message: &str) {
        let name = self.vars.written_as(name);
        let problem = format!("  {name} {message}");
        self.problems.borrow_mut().push(problem);
    }

    /// Says in the log that a variable does not mean what its value says, found by the caller.
    pub fn remark(&self, name: &str, message: &str) {
        tracing::warn!("{} {message}", self.vars.written_as(name));
    }

    /// Succeeds if nothing was wrong.
    pub fn finish(self) -> Result<(), EnvError> {
        let problems = self.problems.into_inner();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(EnvError { problems })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_refused_where_there_must_be_at_least_one() {
        let vars = Vars::from([("A", "0"), ("B", "1")]);
        let reader = Reader::new(&vars);
        assert_eq!((reader.positive("B", 2), reader.positive("C", 3)), (1, 3));
        reader.positive("A", 2);
        let text = reader.finish().unwrap_err().to_string();
        assert!(text.contains("A must be at least 1"), "{text}");
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let vars = Vars::from([("A", "maybe"), ("B", "x"), ("C", "5 minutes")]);
        let reader = Reader::new(&vars);
        reader.bool("A", false);
        reader.number("B", 1_u16);
        reader.duration("C", Duration::ZERO);
        reader.required("D");
        let text = reader.finish().unwrap_err().to_string();
        for name in ["A must", "B must", "C must", "D is required"] {
            assert!(text.contains(name), "{name} in {text}");
        }
    }

    #[test]
    fn what_a_file_says_is_told_in_the_files_words_until_a_variable_wins() {
        let origin = "supabase/config.toml:3: auth.jwt_expiry";
        let mut vars = Vars::default();
        vars.set_from(origin, "A", "soon");
        vars.set_from(origin, "B", "soon");
        vars.set("B", "later");
        let reader = Reader::new(&vars);
        reader.number("A", 1_u16);
        reader.number("B", 1_u16);
        let text = reader.finish().unwrap_err().to_string();
        assert!(
            text.contains("supabase/config.toml:3: auth.jwt_expiry must be a whole number")
                && text.contains("  B must be a whole number"),
            "{text}"
        );
    }

    #[test]
    fn secrets_are_redacted_in_debug_output() {
        let vars = Vars::from([("PASS", "hunter2")]);
        let secret = Reader::new(&vars).required_secret("PASS");
        assert_eq!(format!("{secret:?} {vars:?}"), r#"[redacted] {"PASS"}"#);
        assert_eq!(secret.expose(), "hunter2");
    }

    #[test]
    fn set_to_nothing_is_not_set() {
        let mut vars = Vars::from([("FLAG", ""), ("TEXT", ""), ("LIST", "a")]);
        vars.set("LIST", "");
        vars.set_default("OTHER", "");
        let reader = Reader::new(&vars);
        assert!(reader.bool("FLAG", true));
        assert_eq!(reader.string_or("TEXT", "default"), "default");
        assert_eq!(reader.list("LIST"), [""; 0]);
        assert_eq!(reader.string("OTHER"), None);
        assert_eq!(reader.either("FLAG", "TEXT"), "FLAG");
        assert_eq!(vars.iter().count(), 0);
        let reader = Reader::new(&vars);
        reader.required("TEXT");
        let text = reader.finish().unwrap_err().to_string();
        assert!(text.contains("TEXT is required"), "{text}");
    }
}
