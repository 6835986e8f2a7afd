//! Modules of a crate do not import each other in a circle. A module and what is inside of it are
//! one thing here: a part may know the whole.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::dependencies::members;
use super::rust_files;
use crate::step::Failure;

/// What each module imports, by their paths in the crate.
type Imports = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(metadata: &Value) -> Result<Vec<String>, Failure> {
    let mut breaches = Vec::new();
    for package in members(metadata) {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let sources = manifest.with_file_name("src");
        let mut files = BTreeMap::new();
        for file in rust_files(&sources)? {
            let name = file.strip_prefix(&sources).unwrap_or(&file);
            let name = name.with_extension("").to_string_lossy().replace('/', "::");
            let name = name.trim_end_matches("mod").trim_end_matches("::");
            if !["lib", "main"].contains(&name) {
                files.insert(name.to_owned(), fs::read_to_string(&file)?);
            }
        }
        let crate_name = package["name"].as_str().unwrap_or_default();
        let imports = imports(&files);
        let show =
            |circle: Vec<&str>| format!("{crate_name}: import circle {}", circle.join(" → "));
        breaches.extend(circles(&imports).into_iter().map(show));
    }
    Ok(breaches)
}

fn imports(files: &BTreeMap<String, String>) -> Imports {
    let is_inside = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let tests = |name: &str| name.ends_with("tests") || name.ends_with("properties");
    let mut imports = Imports::new();
    for (name, source) in files.iter().filter(|(name, _)| !tests(name)) {
        let own = source.split("#[cfg(test)]\nmod tests {").next();
        let code = own.unwrap_or_default().lines();
        let code: Vec<_> = code
            .map(|line| line.split("//").next().unwrap_or(""))
            .collect();
        let mut used = BTreeSet::new();
        for mut path in paths(&code.join("\n"), name) {
            while !path.is_empty() && !files.contains_key(&path) {
                path.truncate(path.rfind("::").unwrap_or(0));
            }
            if !path.is_empty() && !is_inside(&path, name) && !is_inside(name, &path) {
                used.insert(path);
            }
        }
        imports.insert(name.clone(), used);
    }
    imports
}

/// The paths in a module's code that begin at the crate or at the module around it.
fn paths(code: &str, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        read_path(&mut &code[at + 7..], "", &mut found);
    }
    for (at, _) in code.match_indices("super::") {
        if !code[..at].ends_with("::") {
            let mut rest = &code[at..];
            let mut around = module;
            while let Some(inner) = rest.strip_prefix("super::") {
                rest = inner;
                around = around.rsplit_once("::").map_or("", |(around, _)| around);
            }
            let prefix = if around.is_empty() {
                String::new()
            } else {
                format!("{around}::")
            };
            read_path(&mut rest, &prefix, &mut found);
        }
    }
    found
}

/// Reads a path, or those of a tree of imports.
fn read_path(code: &mut &str, prefix: &str, found: &mut Vec<String>) {
    let end = code.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == ':'));
    let (path, rest) = code.split_at(end.unwrap_or(code.len()));
    *code = rest;
    let path = format!("{prefix}{path}");
    if !code.starts_with('{') {
        found.push(path);
        return;
    }
    while !code.is_empty() && !code.starts_with('}') {
        *code = code[1..].trim_start();
        if !code.starts_with('}') {
            read_path(code, &path, found);
            *code = code.trim_start_matches(|it| it != ',' && it != '}');
        }
    }
    *code = code.strip_prefix('}').unwrap_or(code);
}

/// The shortest circle through each module that is the first in one by name.
fn circles(imports: &Imports) -> Vec<Vec<&str>> {
    let mut circles = Vec::new();
    for start in imports.keys() {
        let mut ways = VecDeque::from([vec![start.as_str()]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop_front() {
            let used = way.last().and_then(|last| imports.get(*last));
            for next in used.into_iter().flatten().filter(|next| *next >= start) {
                let way: Vec<_> = way.iter().copied().chain([next.as_str()]).collect();
                if next == start {
                    circles.push(way);
                    ways.clear();
                    break;
                }
                if seen.insert(next) {
                    ways.push_back(way);
                }
            }
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let files = files
            .iter()
            .map(|(name, code)| ((*name).to_owned(), (*code).to_owned()));
        let imports = imports(&files.collect());
        circles(&imports)
            .iter()
            .map(|circle| circle.join(" "))
            .collect()
    }

    #[test]
    fn circles_are_found_whatever_way_they_are_written() {
        for code in [
            "use crate::b;",
            "use crate::{c as d, b::{self, B}};",
            "fn f() { super::b::g(); }",
            "use super::{x, b::deep::Thing};",
        ] {
            assert_eq!(
                circles_of(&[("a", code), ("b", "use crate::a::A;")]),
                ["a b a"],
                "{code}"
            );
        }
        let around = [
            ("a", "use super::b;"),
            ("b", "use crate::c::d;"),
            ("c::d", "super::super::a"),
        ];
        assert_eq!(circles_of(&around), ["a b c::d a"]);
    }

    #[test]
    fn what_is_inside_may_know_what_is_around_it_and_tests_may_know_all() {
        let inside = [("a", "use crate::a::b::B;"), ("a::b", "use super::A;")];
        assert!(circles_of(&inside).is_empty());
        let tests = "// use crate::b;\n#[cfg(test)]\nmod tests {\n use crate::b;\n}";
        assert!(circles_of(&[("a", tests), ("b", "use crate::a;")]).is_empty());
        assert!(
            circles_of(&[("a", ""), ("a::tests", "use crate::b;"), ("b", "crate::a")]).is_empty()
        );
    }
}
