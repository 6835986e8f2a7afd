//! `.env.example`, from the variables that docker-compose.yml takes.

use std::fmt::Write as _;

/// How a variable's example value begins in the comment above it.
const EXAMPLE: &str = "e.g. ";

/// How long the line of a comment may be.
const WIDTH: usize = 98;

const HEADER: &str =
    "# For docker-compose.yml: copy to .env and fill in the first part. Made by `cargo x docs`.\n";

const REST: &str = "\n# --- From here on everything has a default ---\n";

/// A variable that docker-compose.yml takes from `.env`.
#[derive(Debug, PartialEq, Eq)]
struct Variable {
    name: String,
    /// The setting that it becomes.
    setting: String,
    is_required: bool,
    value: String,
    comment: Vec<String>,
}

/// The file; `meaning` is what the reference says of a setting.
pub(crate) fn generate(compose: &str, meaning: impl Fn(&str) -> Option<String>) -> String {
    let variables = variables(compose);
    let mut text = HEADER.to_owned();
    for is_required in [true, false] {
        if !is_required {
            text.push_str(REST);
        }
        for variable in variables.iter().filter(|it| it.is_required == is_required) {
            let comment = if variable.comment.is_empty() {
                meaning(&variable.setting).map_or_else(Vec::new, |text| sentences(&text))
            } else {
                variable.comment.clone()
            };
            if !comment.is_empty() {
                text.push('\n');
            }
            for line in comment {
                let _ = writeln!(text, "# {line}");
            }
            let _ = writeln!(text, "{}={}", variable.name, variable.value);
        }
    }
    text
}

/// What the reference says of a setting, without its default, which may be another one here.
fn sentences(meaning: &str) -> Vec<String> {
    let text = match meaning.strip_prefix('(') {
        Some(rest) => rest.split_once("): ").map_or("", |(_, text)| text),
        None => meaning,
    };
    let mut lines = vec![String::new()];
    for (index, word) in text.split(' ').enumerate() {
        let last = lines.len() - 1;
        if index == 0 {
            let mut letters = word.chars();
            lines[0].extend(letters.next().map(|first| first.to_ascii_uppercase()));
            lines[0].push_str(letters.as_str());
        } else if lines[last].len() + word.len() < WIDTH {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Each variable where it comes first.
fn variables(compose: &str) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut comment = Vec::new();
    for line in compose.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("# ") {
            comment.push(text.to_owned());
            continue;
        }
        let above = std::mem::take(&mut comment);
        let (setting, _) = line.split_once(": ").unwrap_or_default();
        for reference in line.split("${").skip(1) {
            let reference = reference
                .split_once('}')
                .map_or("", |(reference, _)| reference);
            let name = reference.split(':').next().unwrap_or_default();
            if found.iter().all(|known| known.name != name) {
                found.push(variable(name, setting, reference, above.clone()));
            }
        }
    }
    found
}

fn variable(name: &str, setting: &str, reference: &str, mut comment: Vec<String>) -> Variable {
    let default = reference
        .split_once(":-")
        .map_or("", |(_, default)| default);
    let example = comment
        .last()
        .and_then(|line| line.strip_prefix(EXAMPLE))
        .map(str::to_owned);
    if example.is_some() {
        comment.pop();
    }
    Variable {
        name: name.to_owned(),
        setting: setting.to_owned(),
        is_required: reference.contains(":?"),
        value: example.unwrap_or_else(|| default.to_owned()),
        comment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_comes_first_and_each_variable_once() {
        let compose = "    environment:\n      A_MODE: ${MODE:-plain}\n      # Where it is.\n      \
            # e.g. https://x.example\n      A_URL: ${URL:?set URL}\n      A_BACK: ${URL}/back\n";
        let text = generate(compose, |setting| {
            (setting == "A_MODE").then(|| "(default plain): how.".to_owned())
        });
        assert_eq!(
            text,
            format!(
                "{HEADER}\n# Where it is.\nURL=https://x.example\n{REST}\n# How.\nMODE=plain\n"
            )
        );
    }
}
