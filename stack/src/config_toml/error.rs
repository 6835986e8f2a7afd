//! What can be wrong with a project's configuration, always with file and line.

use std::fmt;
use std::path::{Path, PathBuf};

/// A remark about `config.toml` that does not stop the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line it is about, counted from 1; none when it is about the whole file.
    pub line: Option<usize>,
    /// What was noticed and what follows from it.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(out, self.line, &self.message)
    }
}

/// Something in `config.toml` that must be mended before a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it is about, counted from 1; none when the value came from elsewhere.
    pub line: Option<usize>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(out, self.line, &self.message)
    }
}

/// Why a project's configuration could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that is named but cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A `.env` file with a line that is no assignment.
    #[error("{}", located(path, *line, message))]
    Environment {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1, where it is known.
        line: Option<usize>,
        /// What is wrong with it.
        message: String,
    },
    /// Everything found wrong in `config.toml`, in one go.
    #[error("{}", list(path, problems))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Each problem with its line.
        problems: Vec<Problem>,
    },
}

fn write_located(out: &mut fmt::Formatter<'_>, line: Option<usize>, message: &str) -> fmt::Result {
    match line {
        Some(line) => write!(out, "line {line}: {message}"),
        None => out.write_str(message),
    }
}

fn list(path: &Path, problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| located(path, problem.line, &problem.message))
        .collect();
    lines.join("\n")
}

fn located(path: &Path, line: Option<usize>, message: &str) -> String {
    let path = path.display();
    match line {
        Some(line) => format!("{path}:{line}: {message}"),
        None => format!("{path}: {message}"),
    }
}
