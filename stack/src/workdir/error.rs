//! What can be wrong with a project folder.

use std::io;
use std::path::PathBuf;

use platform::pg::DbError;
use tokio_postgres::error::ErrorPosition;

/// Why a project could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum WorkdirError {
    /// A file or folder cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A seed path is not a pattern.
    #[error("db.seed.sql_paths in supabase/config.toml: {pattern} is not a valid pattern")]
    Pattern {
        /// As written.
        pattern: String,
        /// Why.
        source: glob::PatternError,
    },
    /// Postgres refused a statement of a file.
    #[error("{file}{} failed: {message}\n{detail}Correct the file and start again; what \
             it did has been undone.", line.map(|line| format!(", line {line},")).unwrap_or_default())]
    Statement {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What Postgres said.
        message: String,
        /// Detail and hint, each on a line of its own.
        detail: String,
        /// The failure itself.
        source: DbError,
    },
    /// The database could not be asked.
    #[error("{0}")]
    Database(#[from] DbError),
}

impl WorkdirError {
    /// Says where in `sql`, the content of `file`, Postgres stumbled.
    pub(super) fn in_file(file: &str, sql: &str, source: DbError) -> Self {
        let Some(server) = source.server() else {
            return Self::Database(source);
        };
        let line = match server.position() {
            Some(ErrorPosition::Original(position)) => Some(line_of(sql, *position)),
            _ => None,
        };
        let parts = [server.detail(), server.hint()];
        let detail = parts
            .iter()
            .flatten()
            .flat_map(|text| [*text, "\n"])
            .collect();
        let message = format!("{} ({})", server.message(), server.code().code());
        Self::Statement {
            file: file.to_owned(),
            line,
            message,
            detail,
            source,
        }
    }
}

/// Postgres counts characters from 1.
fn line_of(sql: &str, position: u32) -> usize {
    let before = usize::try_from(position)
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    1 + sql
        .chars()
        .take(before)
        .filter(|character| *character == '\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_become_lines() {
        let sql = "select 1;\n-- ä\nselekt 2;";
        assert_eq!(line_of(sql, 1), 1);
        assert_eq!(line_of(sql, 16), 3);
    }
}
