//! Rules about source files: a module comment, a bearable length, SQL only where it belongs.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::dependencies::members;
use super::{files_ending, rust_files};
use crate::root;
use crate::step::Failure;

/// Lines after which a file surely holds two concepts; the first ending that fits counts.
const MAX_LINES: [(&str, usize); 3] = [(".rs", 450), (".test.tsx", 260), (".tsx", 200)];

/// Longer ones from before; may only become fewer.
const LONGER: &[&str] = &[
    "gotrue-rs/src/accounts/password.rs",
    "gotrue-rs/src/accounts/sign_up.rs",
    "platform-test/tests/settings.rs",
    "prompt-api/tests/it/isolation.rs",
    "stack/src/gateway/tests.rs",
    "web/src/features/playground/components/playground-screen.test.tsx",
];

/// Places where SQL may stand.
const SQL_HOMES: [&str; 11] = [
    "/db/",
    "/tests/",
    "tests.rs",
    "bench/",
    "platform/src/cluster/",
    "platform/src/pg/",
    "platform-test/",
    "stack/src/postgres",
    "stack/src/workdir",
    "stack/src/commands/doctor",
    "xtask/",
];

pub(super) fn check(metadata: &Value) -> Result<Vec<String>, Failure> {
    let root = root();
    let mut breaches = Vec::new();
    for package in members(metadata) {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let folder = Path::new(manifest).parent().unwrap_or(&root);
        for file in rust_files(folder)? {
            let name = file.strip_prefix(&root).unwrap_or(&file);
            let source = fs::read_to_string(&file)?;
            breaches.extend(breaches_of(name, &source));
            breaches.extend(length(name, &source));
        }
    }
    for file in files_ending(&root.join("web/src"), ".tsx")? {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        breaches.extend(length(name, &fs::read_to_string(&file)?));
    }
    Ok(breaches)
}

/// What is wrong with the length of a file.
fn length(name: &Path, source: &str) -> Option<String> {
    let name = name.to_string_lossy();
    let (_, most) = MAX_LINES
        .iter()
        .find(|(ending, _)| name.ends_with(ending))?;
    let lines = source.lines().count();
    match (lines > *most, LONGER.contains(&name.as_ref())) {
        (true, false) => Some(format!(
            "{name}: {lines} lines, of at most {most}; find the second concept and split"
        )),
        (false, true) => Some(format!(
            "{name}: short enough; take it from the list `LONGER`"
        )),
        _ => None,
    }
}

fn breaches_of(name: &Path, source: &str) -> Vec<String> {
    let shown = name.display();
    let mut breaches = Vec::new();
    if !source.starts_with("//!") {
        breaches.push(format!(
            "{shown}: begins without a `//!` comment that says what it is"
        ));
    }
    let path = name.to_string_lossy();
    if !SQL_HOMES.iter().any(|home| path.contains(home)) {
        let lines = source
            .lines()
            .enumerate()
            .filter(|(_, line)| holds_sql(line));
        breaches.extend(
            lines.map(|(index, _)| format!("{shown}:{}: SQL text belongs in `db/`", index + 1)),
        );
    }
    breaches
}

/// Whether a line of code begins a statement inside a string literal.
fn holds_sql(line: &str) -> bool {
    let code = line.trim_start();
    if code.starts_with("//") {
        return false;
    }
    let lower = code.to_ascii_lowercase();
    let begins = [
        "select ",
        "insert into ",
        "update ",
        "delete from ",
        "with ",
    ];
    let clauses = [" from ", " set ", " values", " where ", " as ("];
    lower.split('"').skip(1).step_by(2).any(|literal| {
        begins.iter().any(|begin| literal.starts_with(begin))
            && clauses.iter().any(|clause| literal.contains(clause))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_long_as_its_kind_may_be() {
        let lines = |count| "x\n".repeat(count);
        assert!(length(Path::new("stack/src/a.rs"), &lines(450)).is_none());
        assert!(length(Path::new("stack/src/a.rs"), &lines(451)).is_some());
        assert!(length(Path::new("web/src/a.tsx"), &lines(201)).is_some());
        assert!(length(Path::new("web/src/a.test.tsx"), &lines(201)).is_none());
        assert!(length(Path::new(LONGER[0]), &lines(451)).is_none());
        assert!(length(Path::new(LONGER[0]), &lines(450)).is_some());
    }

    #[test]
    fn sql_is_told_from_prose() {
        assert!(holds_sql(
            r#"client.query("select id from auth.users", &[])"#
        ));
        assert!(holds_sql(r#"let sql = "delete from t where x";"#));
        assert!(!holds_sql(r#"Error::new("select a prompt first")"#));
        assert!(!holds_sql("// \"select id from t\""));
    }
}
