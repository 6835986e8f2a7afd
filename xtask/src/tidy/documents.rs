//! Paths that documents for contributors name lead somewhere.

use std::fs;
use std::path::Path;

use crate::root;
use crate::step::Failure;

pub(super) fn check() -> Result<Vec<String>, Failure> {
    let root = root();
    let mut documents = vec![root.join("ARCHITECTURE.md"), root.join("CONTRIBUTING.md")];
    for entry in fs::read_dir(root.join("docs"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("adding-") {
            documents.push(path);
        }
    }
    let mut breaches = Vec::new();
    for document in documents {
        let shown = document
            .strip_prefix(&root)
            .unwrap_or(&document)
            .display()
            .to_string();
        let text = fs::read_to_string(&document)?;
        for (index, line) in text.lines().enumerate() {
            let paths = named(line, |top| root.join(top).exists());
            let lost = paths.filter(|path| !root.join(path).exists());
            breaches.extend(lost.map(|path| format!("{shown}:{}: there is no {path}", index + 1)));
        }
    }
    Ok(breaches)
}

/// The paths between backticks, each as far as it is the same for everybody: in
/// `routes/<route>.rs` that is the folder. What does not begin at the top is no path of ours.
fn named(line: &str, is_at_top: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter_map(move |text| {
        let (top, _) = text.split_once('/')?;
        let is_path = !text.contains(' ') && !text.contains("://") && is_at_top(top);
        let fixed = text.find(['<', '*', '{', '…']).map_or(text, |open| {
            let folder = text[..open].rfind('/').unwrap_or_default();
            &text[..folder]
        });
        (is_path && !Path::new(fixed).is_absolute() && !fixed.is_empty()).then_some(fixed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_at_the_top_is_a_path() {
        let line = "open `stack/src/lib.rs` (`SERVICES`), `stack/src/<name>/a.rs`, `text/plain`, \
            `/auth/v1`, `cargo x check`, `stack/tests/*.rs`";
        let found: Vec<_> = named(line, |top| top == "stack").collect();
        assert_eq!(found, ["stack/src/lib.rs", "stack/src", "stack/tests"]);
    }
}
