//! The variables that a project's settings stand for, each with where it was written.

use super::Reader;

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// What it is set to.
    pub value: String,
    /// What whoever wrote it calls it: a key with its file and line, or another variable. None where
    /// nobody wrote it.
    pub origin: Option<String>,
}

/// Collects variables while settings are read.
pub(super) struct Variables<'r> {
    pub(super) reader: &'r Reader<'r>,
    pub(super) list: Vec<Var>,
}

impl<'r> Variables<'r> {
    pub(super) fn new(reader: &'r Reader<'r>) -> Self {
        Self {
            reader,
            list: Vec::new(),
        }
    }

    /// Sets a variable to what stands at this key, or follows from it.
    pub(super) fn set(&mut self, key: &str, name: impl Into<String>, value: impl Into<String>) {
        self.list.push(Var {
            name: name.into(),
            value: value.into(),
            origin: self.reader.origin(key),
        });
    }

    /// Sets a variable that no key is about.
    pub(super) fn set_constant(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.list.push(Var {
            name: name.into(),
            value: value.into(),
            origin: None,
        });
    }
}
