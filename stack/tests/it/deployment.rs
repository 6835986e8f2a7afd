//! `docker-compose.yml` and `.env.example` name only variables that something reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The assignments of `.env.example`.
pub(crate) fn example_env() -> BTreeMap<String, String> {
    let text = read(".env.example");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(k, v)| (k.into(), v.into()))
        .collect()
}

/// `NAME: value` below `environment:` of a service in `docker-compose.yml`, in order.
pub(crate) fn compose_environment(service: &str) -> Vec<(String, String)> {
    let text = read("docker-compose.yml");
    let service = text
        .lines()
        .skip_while(|line| *line != format!("  {service}:"));
    service
        .skip_while(|line| *line != "    environment:")
        .skip(1)
        .take_while(|line| line.starts_with("      "))
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Compose does.
pub(crate) fn substitute(value: &str, env: &BTreeMap<String, String>) -> String {
    let mut pieces = value.split("${");
    let mut result = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (reference, rest) = piece.split_once('}').unwrap();
        let name = reference.split(':').next().unwrap();
        let set = env.get(name).filter(|value| !value.is_empty());
        match (set, reference.split_once(":-"), reference.split_once(":?")) {
            (Some(value), _, _) => result.push_str(value),
            (None, Some((_, default)), _) => result.push_str(default),
            (None, None, Some((_, message))) => panic!("{message}"),
            (None, None, None) => {}
        }
        result.push_str(rest);
    }
    result
}

/// All Rust source of the services and the stack: of all crates but those that only build and test.
fn source() -> String {
    let mut text = String::new();
    let tools = ["bench", "platform-test", "xtask"];
    let top = std::fs::read_dir(root()).unwrap();
    let crates = top.map(|entry| entry.unwrap().path());
    let crates = crates.filter(|path| path.join("Cargo.toml").is_file());
    let crates = crates.filter(|path| !tools.iter().any(|tool| path.ends_with(tool)));
    let mut folders: Vec<PathBuf> = crates.map(|path| path.join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

/// Whether the source names a variable.
fn is_read(source: &str, name: &str) -> bool {
    // Of each provider there is one, whose name is put in the middle.
    let named = match name.strip_prefix("GOTRUE_EXTERNAL_") {
        Some(of_provider) => of_provider.split_once('_').is_some_and(|(provider, key)| {
            let provider = format!("\"{}\"", provider.to_lowercase());
            source.contains(&provider) && source.contains(&format!("GOTRUE_EXTERNAL_{{}}_{key}"))
        }),
        None => source.contains(&format!("\"{name}\"")),
    };
    let short = name.strip_prefix("GOTRUE_").unwrap_or(name);
    named || source.contains(&format!("\"{short}\""))
}

#[test]
fn every_variable_of_the_compose_file_is_read_by_something() {
    let source = source();
    let environment = compose_environment("wildfire");
    assert!(environment.len() > 20, "{environment:?}");
    for (name, _) in environment {
        assert!(is_read(&source, &name), "nothing reads {name}");
    }
}

#[test]
fn the_project_folder_is_read_without_a_remark() {
    let vars = platform::env::Vars::default();
    let project = stack::config_toml::load(&root().join("supabase"), &vars).unwrap();
    assert_eq!(project.warnings, []);
    assert_eq!(
        (project.api.port, project.db.port, project.mailbox.port),
        (54321, 54322, 54324)
    );
}
