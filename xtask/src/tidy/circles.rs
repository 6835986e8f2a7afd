//! Modules of a crate do not import each other in a circle. A module and what is inside of it are
//! one thing here: a part may know the whole. What a module passes on from another counts as that
//! one's, under whatever name.

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

/// What names mean that a module imports, by their paths in the crate.
type Names = BTreeMap<String, String>;

fn imports(files: &BTreeMap<String, String>) -> Imports {
    let is_inside = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let is_test = |name: &str| name.ends_with("tests") || name.ends_with("properties");
    let modules = files.iter().filter(|(name, _)| !is_test(name));
    let modules: BTreeMap<&str, String> = modules
        .map(|(name, source)| (name.as_str(), code(source)))
        .collect();
    let names: BTreeMap<&str, Names> = modules
        .iter()
        .map(|(name, code)| (*name, names(code, name, files)))
        .collect();
    let imports = modules.iter().map(|(name, code)| {
        let paths = paths(code, name, &names[name]);
        let used = paths.iter().filter_map(|path| home(path, &names));
        let used = used.filter(|used| !is_inside(used, name) && !is_inside(name, used));
        ((*name).to_owned(), used.collect())
    });
    imports.collect()
}

/// A module without its tests and remarks.
fn code(source: &str) -> String {
    let own = source.split("#[cfg(test)]\nmod tests {").next();
    let lines = own.unwrap_or_default().lines();
    let lines: Vec<_> = lines.filter_map(|line| line.split("//").next()).collect();
    lines.join("\n")
}

/// The module that has what a path names, whoever passes it on.
fn home(path: &str, names: &BTreeMap<&str, Names>) -> Option<String> {
    let mut path = path.to_owned();
    // Who passes on what they get from each other does not compile.
    for _ in 0..names.len() {
        let mut module = path.as_str();
        while !names.contains_key(module) {
            module = module.rsplit_once("::")?.0;
        }
        let rest = path[module.len()..].trim_start_matches("::");
        let (name, rest) = rest.split_once("::").unwrap_or((rest, ""));
        match names[module].get(name) {
            Some(target) if !rest.is_empty() => path = format!("{target}::{rest}"),
            Some(target) => path = target.clone(),
            None => return Some(module.to_owned()),
        }
    }
    None
}

/// The names that a module imports from its own crate.
fn names(code: &str, module: &str, files: &BTreeMap<String, String>) -> Names {
    let mut names = Names::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].rsplit('\n').next().unwrap_or_default().trim();
        if !before.is_empty() && !before.starts_with("pub") {
            continue;
        }
        let (prefix, mut rest) = base(&code[at + 4..], module);
        let inside = format!("{module}::");
        let first = rest.split("::").next().unwrap_or_default();
        let prefix = match prefix {
            Some(prefix) => prefix,
            None if files.contains_key(&format!("{inside}{first}")) => inside,
            // Another crate's.
            None => continue,
        };
        let mut found = Vec::new();
        read_path(&mut rest, &prefix, &mut found);
        for (path, name) in found {
            let path = path.trim_end_matches("::self");
            let last = path.rsplit("::").next().unwrap_or_default();
            names.insert(name.unwrap_or_else(|| last.to_owned()), path.to_owned());
        }
    }
    names
}

/// Where a path begins that starts at the crate or at the module around, and what is left of it.
fn base<'c>(path: &'c str, module: &str) -> (Option<String>, &'c str) {
    if let Some(rest) = path.strip_prefix("crate::") {
        return (Some(String::new()), rest);
    }
    let (mut rest, mut around) = (path, module);
    while let Some(inner) = rest.strip_prefix("super::") {
        rest = inner;
        around = around.rsplit_once("::").map_or("", |(around, _)| around);
    }
    let prefix = match around {
        "" => String::new(),
        around => format!("{around}::"),
    };
    ((rest.len() < path.len()).then_some(prefix), rest)
}

/// The paths in a module's code that begin at the crate, at the module around it, or at a name that it
/// imports.
fn paths(code: &str, module: &str, names: &Names) -> Vec<String> {
    let mut found = Vec::new();
    let is_inside_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let starts = names.keys().map(String::as_str).chain(["crate", "super"]);
    for start in starts {
        for (at, _) in code.match_indices(&format!("{start}::")) {
            if code[..at].ends_with(is_inside_word) {
                continue;
            }
            let (prefix, mut rest) = base(&code[at..], module);
            let prefix = prefix.unwrap_or_else(|| {
                rest = &code[at + start.len() + 2..];
                format!("{}::", names[start])
            });
            read_path(&mut rest, &prefix, &mut found);
        }
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// Reads a path, or those of a tree of imports, with the names that they get.
fn read_path(code: &mut &str, prefix: &str, found: &mut Vec<(String, Option<String>)>) {
    let is_inside = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let word = |code: &mut &str| {
        let end = code.find(|it: char| !is_inside(it));
        let (word, rest) = code.split_at(end.unwrap_or(code.len()));
        *code = rest;
        word.to_owned()
    };
    let path = format!("{prefix}{}", word(code));
    if !code.starts_with('{') {
        let name = code.strip_prefix(" as ").map(|mut rest| word(&mut rest));
        found.push((path, name));
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
    fn what_is_passed_on_is_its_makers() {
        let passed = |user: &str| {
            [
                ("a", "mod deep;\npub(crate) use deep::{Thing, other as it};"),
                ("a::deep", "use crate::b::B;"),
                ("b", user),
            ]
            .map(|(name, code)| (name.to_owned(), code.to_owned()))
        };
        for user in [
            "use crate::a::Thing;",
            "use crate::a::{it};",
            "use crate::a;\nfn f() { a::it() }",
            "use super::a as c;\nfn f() -> c::Thing {}",
        ] {
            let imports = imports(&passed(user).into_iter().collect());
            assert_eq!(circles(&imports), [["a::deep", "b", "a::deep"]], "{user}");
        }
        for user in ["use crate::a::Own;", "// a::it", "fn f() { data::it() }"] {
            let imports = imports(&passed(user).into_iter().collect());
            assert!(circles(&imports).is_empty(), "{user}");
        }
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
