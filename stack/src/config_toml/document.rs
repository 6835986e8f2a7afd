//! `config.toml` as a tree that remembers on which line each key stands, so that every complaint
//! can name the line. Built on the `toml` crate's spanned parser.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Problem;

/// A parsed value and the line its key stands on.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) line: usize,
    pub(super) value: Value,
}

/// The kinds of value `config.toml` uses; dates and times stay text.
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Decimal,
    Bool(bool),
    List(Vec<Entry>),
    Table(Table),
}

/// Keys of one table.
pub(super) type Table = BTreeMap<String, Entry>;

impl Value {
    /// What a person would call this kind of value.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "a whole number",
            Self::Decimal => "a decimal number",
            Self::Bool(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a section",
        }
    }
}

/// Parses the file; a syntax error names its line.
pub(super) fn parse(text: &str) -> Result<Table, Problem> {
    let lines = Lines::of(text);
    match DeTable::parse(text) {
        Ok(table) => Ok(lines.table(table.get_ref())),
        Err(error) => Err(Problem {
            line: error.span().map(|span| lines.line(span.start)),
            message: error.message().trim().replace('\n', ", "),
        }),
    }
}

/// The entry at a dotted path such as `auth.email.otp_length`.
pub(super) fn find<'t>(table: &'t Table, path: &str) -> Option<&'t Entry> {
    match path.split_once('.') {
        None => table.get(path),
        Some((head, rest)) => match &table.get(head)?.value {
            Value::Table(inner) => find(inner, rest),
            _ => None,
        },
    }
}

/// Calls `visit` with the dotted path of every key that is not itself a section.
pub(super) fn each_leaf(table: &Table, prefix: &str, visit: &mut impl FnMut(&str, &Entry)) {
    for (key, entry) in table {
        let path = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match &entry.value {
            Value::Table(inner) => each_leaf(inner, &path, visit),
            _ => visit(&path, entry),
        }
    }
}

/// Byte offsets at which lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(
            std::iter::once(0)
                .chain(breaks.map(|(at, _)| at + 1))
                .collect(),
        )
    }

    /// The line, counted from 1, that holds this byte.
    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }

    fn table(&self, table: &DeTable<'_>) -> Table {
        table
            .iter()
            .map(|(key, value)| {
                let line = self.line(key.span().start);
                (key.get_ref().to_string(), self.entry(line, value))
            })
            .collect()
    }

    fn entry(&self, line: usize, value: &Spanned<DeValue<'_>>) -> Entry {
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => integer(number.as_str(), number.radix()),
            DeValue::Float(_) => Value::Decimal,
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(moment) => Value::Text(moment.to_string()),
            DeValue::Array(items) => Value::List(
                items
                    .iter()
                    .map(|item| self.entry(self.line(item.span().start), item))
                    .collect(),
            ),
            DeValue::Table(inner) => Value::Table(self.table(inner)),
        };
        Entry { line, value }
    }
}

/// A TOML integer; one too large for 64 bits is kept as a decimal, which every reader refuses.
fn integer(digits: &str, radix: u32) -> Value {
    i64::from_str_radix(digits, radix).map_or(Value::Decimal, Value::Integer)
}
