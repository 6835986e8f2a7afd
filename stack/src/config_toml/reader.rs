//! Typed reading of `config.toml` by dotted path. It applies the Supabase CLI's overrides
//! (`SUPABASE_<SECTION>_<KEY>` and `env(NAME)`, `pkg/config/decode_hooks.go`) and collects every
//! problem and every key nobody asked for.

use std::cell::RefCell;
use std::collections::BTreeSet;

use platform::env::Number;

use super::document::{self, Entry, Table, Value};
use super::error::{Problem, Warning};

/// Looks an environment variable up.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How the file is called where a value in it is.
const FILE: &str = "supabase/config.toml";

/// The variable that overrides a key.
fn override_name(path: &str) -> String {
    format!("SUPABASE_{}", path.replace('.', "_").to_uppercase())
}

/// Reads one parsed `config.toml`.
pub(super) struct Reader<'a> {
    root: &'a Table,
    lookup: Lookup<'a>,
    asked: RefCell<BTreeSet<String>>,
    problems: RefCell<Vec<Problem>>,
    warnings: RefCell<Vec<Warning>>,
}

/// A scalar as text, and where it came from.
struct Scalar {
    text: String,
    line: Option<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Table, lookup: Lookup<'a>) -> Self {
        Self {
            root,
            lookup,
            asked: RefCell::default(),
            problems: RefCell::default(),
            warnings: RefCell::default(),
        }
    }

    /// Text at this path, if set to something.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.scalar(path)
            .map(|scalar| scalar.text)
            .filter(|text| !text.is_empty())
    }

    /// Text at this path, empty text included.
    pub(super) fn text_or(&self, path: &str, default: &str) -> String {
        self.scalar(path)
            .map_or_else(|| default.to_owned(), |scalar| scalar.text)
    }

    /// Text that has to be at this path; where there is none, the line of `section` is named.
    pub(super) fn required(&self, section: &str, path: &str) -> Option<String> {
        let text = self.text(path);
        if text.is_none() {
            let written = document::find(self.root, path);
            let message = match written.map(|entry| &entry.value) {
                Some(Value::Text(text)) if !text.is_empty() => {
                    format!("{path} is required, and {text} is not set")
                }
                _ => format!("{path} is required"),
            };
            let line = written.map(|entry| entry.line);
            self.problem(line.or_else(|| self.line(section)), &message);
        }
        text
    }

    /// A switch.
    pub(super) fn bool(&self, path: &str, default: bool) -> bool {
        let parse = |text: &str| text.parse().ok();
        self.parsed(path, "true or false", parse).unwrap_or(default)
    }

    /// A whole number that fits `T`.
    pub(super) fn number<T: Number>(&self, path: &str, default: T) -> T {
        let parse = |text: &str| text.parse().ok();
        self.parsed(path, &T::expected(), parse).unwrap_or(default)
    }

    /// A duration in Go's syntax, passed on as written.
    pub(super) fn duration(&self, path: &str, default: &str) -> String {
        let parse = |text: &str| platform::env::parse_duration(text).map(|_| text.to_owned());
        self.parsed(path, "a duration such as \"5s\" or \"1h30m\"", parse)
            .unwrap_or_else(|| default.to_owned())
    }

    /// A list of texts; from the environment, separated by commas.
    pub(super) fn list(&self, path: &str, default: &[&str]) -> Vec<String> {
        self.ask(path);
        if let Some(text) = self.environment(path) {
            return text.split(',').map(|item| item.trim().to_owned()).collect();
        }
        let Some(entry) = document::find(self.root, path) else {
            return default.iter().map(|item| (*item).to_owned()).collect();
        };
        match &entry.value {
            Value::List(items) => items
                .iter()
                .filter_map(|item| self.listed_text(path, item))
                .collect(),
            Value::Text(_) => {
                let text = self.item_text(path, entry).unwrap_or_default();
                text.split(',').map(|item| item.trim().to_owned()).collect()
            }
            other => {
                self.mismatch(path, entry.line, "a list of texts", other);
                Vec::new()
            }
        }
    }

    /// The names of the sections (or keys) below this one.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        match document::find(self.root, path).map(|entry| &entry.value) {
            Some(Value::Table(table)) => table.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the file has this section or key.
    pub(super) fn has(&self, path: &str) -> bool {
        document::find(self.root, path).is_some()
    }

    /// The line a section or key stands on.
    pub(super) fn line(&self, path: &str) -> Option<usize> {
        document::find(self.root, path).map(|entry| entry.line)
    }

    /// What whoever wrote the value of a key or section calls it: the key with its file and line, or
    /// the variable that overrides it. None where nobody wrote it.
    pub(super) fn origin(&self, path: &str) -> Option<String> {
        if self.environment(path).is_some() {
            return Some(override_name(path));
        }
        let line = self.line(path)?;
        Some(format!("{FILE}:{line}: {path}"))
    }

    /// Accepts these keys although nothing reads them now.
    pub(super) fn accept(&self, section: &str, keys: &[&str]) {
        for key in keys {
            self.ask(&format!("{section}.{key}"));
        }
    }

    /// Accepts a whole section, or one key, and whatever stands in it.
    pub(super) fn accept_all(&self, section: &str) {
        self.ask(section);
        if let Some(Entry {
            value: Value::Table(table),
            ..
        }) = document::find(self.root, section)
        {
            document::each_leaf(table, section, &mut |path, _| self.ask(path));
        }
    }

    /// Records something that must be mended.
    pub(super) fn problem(&self, line: Option<usize>, message: &str) {
        self.problems.borrow_mut().push(Problem {
            line,
            message: message.to_owned(),
        });
    }

    /// Records a remark.
    pub(super) fn warn(&self, line: Option<usize>, message: &str) {
        self.warnings.borrow_mut().push(Warning {
            line,
            message: message.to_owned(),
        });
    }

    /// Ends the reading: the remarks, with one for each key nobody asked for, or the problems.
    pub(super) fn finish(self) -> Result<Vec<Warning>, Vec<Problem>> {
        let asked = self.asked.into_inner();
        let mut warnings = self.warnings.into_inner();
        document::each_leaf(self.root, "", &mut |path, entry| {
            if !asked.contains(path) {
                let message = format!("unknown key {path} is ignored");
                warnings.push(Warning {
                    line: Some(entry.line),
                    message,
                });
            }
        });
        warnings.sort_by_key(|warning| warning.line);
        warnings.dedup();
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.line);
        problems.dedup();
        if problems.is_empty() {
            Ok(warnings)
        } else {
            Err(problems)
        }
    }

    fn ask(&self, path: &str) {
        self.asked.borrow_mut().insert(path.to_owned());
    }

    /// `SUPABASE_<SECTION>_<KEY>`: overrides that key of `config.toml`; empty counts as unset.
    fn environment(&self, path: &str) -> Option<String> {
        (self.lookup)(&override_name(path)).filter(|value| !value.is_empty())
    }

    fn scalar(&self, path: &str) -> Option<Scalar> {
        self.ask(path);
        if let Some(text) = self.environment(path) {
            return Some(Scalar { text, line: None });
        }
        let entry = document::find(self.root, path)?;
        let text = self.item_text(path, entry)?;
        Some(Scalar {
            text,
            line: Some(entry.line),
        })
    }

    fn item_text(&self, path: &str, entry: &Entry) -> Option<String> {
        match &entry.value {
            Value::Text(text) => self.resolve(path, text, entry.line),
            Value::Integer(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            other @ (Value::Decimal | Value::List(_) | Value::Table(_)) => {
                self.mismatch(path, entry.line, "a single value", other);
                None
            }
        }
    }

    fn listed_text(&self, path: &str, item: &Entry) -> Option<String> {
        if let Value::Text(_) = item.value {
            return self.item_text(path, item);
        }
        self.mismatch(path, item.line, "a list of texts", &item.value);
        None
    }

    /// Replaces `env(NAME)`; an unset variable counts as an absent key.
    // Upstream: pkg/config/decode_hooks.go keeps the literal `env(NAME)` as the value; a secret of
    // that text helps nobody.
    fn resolve(&self, path: &str, text: &str, line: usize) -> Option<String> {
        let name = text
            .strip_prefix("env(")
            .and_then(|rest| rest.strip_suffix(')'));
        let Some(name) = name else {
            return Some(text.to_owned());
        };
        let value = (self.lookup)(name).filter(|value| !value.is_empty());
        if value.is_none() {
            let message = format!("{path} reads env({name}), which is not set");
            self.warn(Some(line), &message);
        }
        value
    }

    fn parsed<T>(
        &self,
        path: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let scalar = self.scalar(path)?;
        let value = parse(&scalar.text);
        if value.is_none() {
            let name = match scalar.line {
                Some(_) => path.to_owned(),
                None => override_name(path),
            };
            let message = format!("{name} must be {expected}, not {:?}", scalar.text);
            self.problem(scalar.line, &message);
        }
        value
    }

    fn mismatch(&self, path: &str, line: usize, expected: &str, found: &Value) {
        self.problem(
            Some(line),
            &format!("{path} must be {expected}, not {}", found.kind()),
        );
    }
}
