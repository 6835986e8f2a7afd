//! What to do about statements that Postgres refuses for reasons that are not in the file.

use std::fs;
use std::path::{Path, PathBuf};

use platform::cluster::{TRUSTED_EXTENSIONS, TRUSTED_MAJOR};
use platform::pg::SqlState;

use super::statements::Statement;
use super::words::Words;
use super::{Surroundings, lent};
use crate::postgres::Server;

/// Where packages of Postgres put what describes an extension.
const INSTALLED: &[&str] = &[
    "/usr/share/postgresql/*/extension",
    "/usr/share/postgresql/extension",
    "/usr/pgsql-*/share/extension",
    "/usr/local/share/postgresql*/extension",
    "/usr/local/pgsql*/share/extension",
    "/opt/homebrew/share/postgresql*/extension",
    "/Applications/Postgres.app/Contents/Versions/*/share/postgresql/extension",
];

/// What to do about it, if more can be said than Postgres does.
pub(super) fn on(
    statement: &Statement<'_>,
    code: &SqlState,
    surroundings: &Surroundings,
) -> Option<String> {
    if *code == SqlState::ACTIVE_SQL_TRANSACTION {
        let advice = if statement.runs_alone() {
            "Let that statement stand in a file of its own."
        } else {
            "A project's files cannot have it run."
        };
        return Some(advice.to_owned());
    }
    if *code == SqlState::DUPLICATE_TABLE && statement.runs_alone() {
        return Some(
            "If an earlier start made it and ended before it could record that, add `if not exists`."
                .to_owned(),
        );
    }
    let is_forbidden = *code == SqlState::INSUFFICIENT_PRIVILEGE;
    if is_forbidden && lent::is_reserved(statement) && !surroundings.is_lent {
        return Some(
            "Postgres lets only superusers do that. Let one of that server send the statement, and take \
             it out of the file."
                .to_owned(),
        );
    }
    if *code == SqlState::UNDEFINED_TABLE && statement.text.contains("storage.") {
        return Some(
            "This build has no storage service yet, and none of its tables: leave what is about them out \
             until it has."
                .to_owned(),
        );
    }
    let is_missing = [SqlState::FEATURE_NOT_SUPPORTED, SqlState::UNDEFINED_FILE].contains(code);
    match extension(statement) {
        Some(extension) if is_forbidden => Some(forbidden(&extension, &surroundings.server)),
        Some(extension) if is_missing => Some(missing(&extension, &surroundings.server)),
        _ => is_forbidden.then(|| {
            "A project's files run as the role postgres, which is no superuser and does not own the \
             schemas of the services."
                .to_owned()
        }),
    }
}

/// The extension that a statement makes.
fn extension(statement: &Statement<'_>) -> Option<String> {
    let mut words = Words::of_beginning(statement.code());
    words.take("create")?;
    words.take("extension")?;
    if words.takes("if") {
        words.take("not")?;
        words.take("exists")?;
    }
    words.name()
}

fn forbidden(extension: &str, server: &Server) -> String {
    match server {
        Server::Embedded {
            major: TRUSTED_MAJOR,
            extensions,
            ..
        } if TRUSTED_EXTENSIONS.contains(&extension) => format!(
            "Projects may have {extension}, but {}/{extension}.control does not say so. Add the line \
             `trusted = true` there, or let the role supabase_admin create it.",
            extensions.display()
        ),
        Server::Embedded { name, .. } if TRUSTED_EXTENSIONS.contains(&extension) => format!(
            "With Postgres {TRUSTED_MAJOR} projects may have {extension}; this is {name}, where its script \
             could run a project's code as the superuser. Take Postgres {TRUSTED_MAJOR}, or let the role \
             supabase_admin create it in a schema in which nobody else may make anything."
        ),
        Server::Embedded { .. } => format!(
            "{extension} reads what belongs to the server or to others, so a project may not have it, as \
             on Supabase. With a server of your own (--db-url), its superuser can create it."
        ),
        Server::External => format!(
            "Let a superuser of that server run once: create extension if not exists \"{extension}\" with \
             schema extensions;"
        ),
    }
}

fn missing(extension: &str, server: &Server) -> String {
    let Server::Embedded { name, .. } = server else {
        return format!(
            "Install {extension} on that server first, for its version of Postgres; packages are often \
             named after both."
        );
    };
    let found = installed(extension);
    let found: Vec<_> = found.iter().map(|it| it.display().to_string()).collect();
    let found = match &found[..] {
        [] => String::new(),
        found => format!(
            " On this machine the Postgres of {} has it.",
            found.join(" and of ")
        ),
    };
    format!(
        "The embedded {name} does not come with {extension}. Name a Postgres that has it with --db-url, \
         or take the statement out of the file.{found}"
    )
}

/// The folders of installed versions of Postgres that have an extension, the newest last.
fn installed(extension: &str) -> Vec<PathBuf> {
    let folders = INSTALLED.iter().filter_map(|it| glob::glob(it).ok());
    let folders = folders.flatten().flatten();
    folders.filter(|folder| has(folder, extension)).collect()
}

fn has(folder: &Path, extension: &str) -> bool {
    // It may be anything that was written in quotes.
    let is_name = extension
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || "-_".contains(it));
    is_name && fs::exists(folder.join(format!("{extension}.control"))).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_of_the_version_that_was_looked_at_an_extension_is_to_be_trusted() {
        let said = |major| {
            let server = Server::Embedded {
                name: format!("Postgres {major}"),
                major,
                extensions: PathBuf::from("/extensions"),
            };
            forbidden("earthdistance", &server)
        };
        let marked = "Add the line `trusted = true`";
        assert!(said(TRUSTED_MAJOR).contains(marked));
        let other = said(TRUSTED_MAJOR - 1);
        assert!(!other.contains("trusted"), "{other}");
        assert!(other.contains("Take Postgres 18"), "{other}");
    }
}
