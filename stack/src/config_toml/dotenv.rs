//! The project's `.env` files, found as the CLI finds them (`pkg/config/config.go`,
//! `loadNestedEnv`): in `supabase/` and the folder above; a variable that is set already stays.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use super::error::ConfigError;

/// Variables of the project's `.env` files; the first file that names one wins.
pub(super) fn load(
    supabase_dir: &Path,
    environment: &str,
) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut vars = BTreeMap::new();
    let folders = [Some(supabase_dir), supabase_dir.parent()];
    for folder in folders.into_iter().flatten() {
        for name in file_names(environment) {
            for (key, value) in read(&folder.join(name))? {
                vars.entry(key).or_insert(value);
            }
        }
    }
    Ok(vars)
}

fn file_names(environment: &str) -> Vec<String> {
    let mut names = vec![format!(".env.{environment}.local")];
    if environment != "test" {
        names.push(".env.local".to_owned());
    }
    names.push(format!(".env.{environment}"));
    names.push(".env".to_owned());
    names
}

/// The assignments of one file; none when it does not exist.
fn read(path: &Path) -> Result<Vec<(String, String)>, ConfigError> {
    let entries = match dotenvy::from_path_iter(path) {
        Ok(entries) => entries,
        Err(dotenvy::Error::Io(error)) if error.kind() == ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(unusable(path, &error)),
    };
    entries
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &dotenvy::Error) -> ConfigError {
    // The parser's own message repeats the line, which may hold a secret.
    let (line, message) = match error {
        dotenvy::Error::LineParse(text, _) => {
            let message = "must have the form NAME=value, with quotes that end".to_owned();
            (line_of(path, text), message)
        }
        dotenvy::Error::Io(error) => (None, error.to_string()),
        _ => (None, "cannot be read".to_owned()),
    };
    ConfigError::Environment {
        path: path.to_owned(),
        line,
        message,
    }
}

/// The line on which `text` begins, counted from 1.
fn line_of(path: &Path, text: &str) -> Option<usize> {
    let first = text.lines().next()?;
    let file = std::fs::read_to_string(path).ok()?;
    file.lines().position(|line| line == first).map(|at| at + 1)
}
