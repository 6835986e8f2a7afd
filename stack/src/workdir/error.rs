//! What can be wrong with a project folder.

use std::io;
use std::path::PathBuf;

use platform::pg::DbError;
use tokio_postgres::error::ErrorPosition;

use super::statements::{self, Statement};
use super::{Surroundings, advice};

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
    /// The project is in no folder.
    #[error(
        "{} is not a folder that can be read ({source}); name the one that holds supabase/ with \
         --workdir", path.display()
    )]
    NoFolder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two migrations of which only one could be recorded.
    #[error(
        "{first} and {second} have the same version, {version}; rename one of them, with a number of \
         its own before the first _"
    )]
    SameVersion {
        /// The number.
        version: String,
        /// A file.
        first: String,
        /// Another file.
        second: String,
    },
    /// A file of SQL that is none.
    #[error("{file}, line {line}: {reason}")]
    NotSql {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What stands there, and what to do.
        reason: &'static str,
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
    #[error("{file}, line {line}, failed: {message}\n{detail}")]
    Statement {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What Postgres said.
        message: String,
        /// Detail, hint, and what to do, each on a line of its own.
        detail: String,
        /// The failure itself.
        source: DbError,
    },
    /// An index that a file makes is there and cannot be used.
    #[error(
        "{file}, line {line}: the index {index} is there, but not valid: somebody else is making it, or \
         was. Start again when they are done, or drop it: `drop index concurrently {index}`."
    )]
    Unfinished {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The index, with its schema.
        index: String,
    },
    /// The database could not be asked.
    #[error("{0}")]
    Database(#[from] DbError),
}

/// What a file has done that failed.
#[derive(Clone, Copy)]
enum Remains {
    /// Nothing.
    Nothing,
    /// What stands before the end of a transaction, which is on this line.
    Before(usize),
    /// Maybe a part: it ran outside transactions.
    Unknown,
}

impl Remains {
    fn advice(self) -> String {
        match self {
            Self::Nothing => {
                "Correct the file and start again; what it did has been undone.".to_owned()
            }
            Self::Before(line) => format!(
                "Correct the file and start again; it ends its transaction itself, so what stands \
                 before line {line} has been done and stays."
            ),
            Self::Unknown => {
                "Correct the file and start again; it runs outside a transaction, so an \
                 index that it began may be there, invalid, and has to be dropped first."
                    .to_owned()
            }
        }
    }
}

impl WorkdirError {
    /// Says where in `sql`, the content of `file`, Postgres stumbled after so many statements.
    pub(super) fn in_file(
        file: &str,
        sql: &str,
        done: usize,
        source: DbError,
        surroundings: &Surroundings,
    ) -> Self {
        let Some(server) = source.server() else {
            return Self::Database(source);
        };
        let statements = statements::split(sql);
        let line = match server.position() {
            Some(ErrorPosition::Original(position)) => line_of(sql, *position),
            // The end of a file: what is checked at the commit.
            _ => statements
                .get(done)
                .or(statements.last())
                .map_or(1, |it| it.line),
        };
        let remains = if statements.first().is_some_and(Statement::runs_alone) {
            Remains::Unknown
        } else {
            let mut before = statements.iter().take(done);
            let ended = before.rfind(|it| it.ends_transaction());
            ended.map_or(Remains::Nothing, |it| Remains::Before(it.line))
        };
        let failed = statements.get(done);
        let advised = failed.and_then(|it| advice::on(it, server.code(), surroundings));
        let remains = remains.advice();
        let parts = [
            server.detail(),
            server.hint(),
            advised.as_deref(),
            Some(remains.as_str()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let detail = parts.join("\n");
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
