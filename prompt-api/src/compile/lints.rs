//! Advice about a template: text that compiles, but perhaps not to what its author meant.
//!
//! Lints never block a save or a compile. Every pass is linear in the template. Mirrors the editor's
//! `web/src/lib/compile/lints.ts`, offsets included, so that both show the same advice.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::system::{NAMES, is_system_variable};
use super::tokens::{Token, is_name};
use super::value::Variables;

/// More advice than this helps nobody.
const LIMIT: usize = 100;

/// Names of longer lists are not compared with each other.
const NEAR_MISS_NAMES: usize = 200;

/// Longest `{{ name` in front of a filter's pipe, UTF-16 code units.
const FILTER_WINDOW: usize = 80;

/// What the advice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintCode {
    EscapedVariable,
    NotExecuted,
    NearMiss,
    LowercaseSystemName,
    UnbalancedBraces,
    Undelimited,
}

/// One piece of advice about `[start, end)`, in UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Lint {
    /// Which kind of advice.
    pub code: LintCode,
    /// The same in words.
    pub message: String,
    /// Where it begins.
    pub start: usize,
    /// The first unit behind it.
    pub end: usize,
    /// Text that would put it right, when one replacement does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

/// All advice about a template in reading order.
pub(super) fn find(template: &str, tokens: &[Token<'_>], variables: &Variables) -> Vec<Lint> {
    let given: HashSet<&str> = variables.names().collect();
    let mut lints = escaped_variables(tokens);
    lints.extend(statements(template));
    lints.extend(filters(template));
    lints.extend(lowercase_system_names(tokens, &given));
    lints.extend(near_misses(tokens, variables, &given));
    lints.extend(unbalanced_braces(template, tokens));
    lints.extend(undelimited(tokens));
    lints.sort_by_key(|lint| lint.start);
    lints.truncate(LIMIT);
    in_code_units(template, &mut lints);
    lints
}

fn lint(code: LintCode, message: String, range: (usize, usize)) -> Lint {
    Lint {
        code,
        message,
        start: range.0,
        end: range.1,
        replacement: None,
    }
}

fn escaped_variables(tokens: &[Token<'_>]) -> Vec<Lint> {
    let escaped = tokens.iter().filter(|token| token.depth == 2);
    escaped
        .map(|token| {
            let name = token.name;
            let message = format!(
                "{{{{{name}}}}} is escaped and prints {{{name}}}. Did you mean {{{name}}}?"
            );
            let range = (
                token.start + token.opening - 2,
                token.end - (token.closing - 2),
            );
            let replacement = Some(format!("{{{name}}}"));
            Lint {
                replacement,
                ..lint(LintCode::EscapedVariable, message, range)
            }
        })
        .collect()
}

/// `{% if %}` belongs to other template languages.
fn statements(template: &str) -> impl Iterator<Item = Lint> {
    template.match_indices("{%").take(LIMIT).map(|(start, _)| {
        let message = "Statements in {% %} are not executed. They stay in the text as written.";
        lint(
            LintCode::NotExecuted,
            message.to_owned(),
            (start, start + 2),
        )
    })
}

/// `{{ name | filter }}` belongs to other template languages.
fn filters(template: &str) -> impl Iterator<Item = Lint> {
    template
        .match_indices('|')
        .take(LIMIT)
        .filter_map(|(pipe, _)| {
            let window = window_before(template, pipe);
            let before = template[window..pipe].trim_end_matches(is_script_space);
            let open = before.rfind("{{")?;
            is_name(before[open + 2..].trim_matches(is_script_space)).then(|| {
                let message =
                    "Filters are not executed. The expression stays in the text as written.";
                lint(
                    LintCode::NotExecuted,
                    message.to_owned(),
                    (window + open, pipe + 1),
                )
            })
        })
}

/// Where the last few code units before a byte offset begin.
fn window_before(template: &str, end: usize) -> usize {
    let mut units = 0;
    for (at, character) in template[..end].char_indices().rev() {
        units += character.len_utf16();
        if units > FILTER_WINDOW {
            return at + character.len_utf8();
        }
    }
    0
}

/// What `String.prototype.trim` takes away.
fn is_script_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

fn lowercase_system_names(tokens: &[Token<'_>], given: &HashSet<&str>) -> Vec<Lint> {
    let variables = tokens.iter().filter(|token| token.is_variable());
    variables
        .filter_map(|token| {
            let (name, upper) = (token.name, token.name.to_ascii_uppercase());
            if name == upper || !is_system_variable(&upper) || given.contains(name) {
                return None;
            }
            let message = format!(
                "{{{name}}} is a variable of your own. The system variable is {{{upper}}}."
            );
            let replacement = Some(format!("{{{upper}}}"));
            let range = (token.start, token.end);
            Some(Lint {
                replacement,
                ..lint(LintCode::LowercaseSystemName, message, range)
            })
        })
        .collect()
}

fn near_misses(tokens: &[Token<'_>], variables: &Variables, given: &HashSet<&str>) -> Vec<Lint> {
    let known = variables.names().take(NEAR_MISS_NAMES).chain(NAMES);
    let candidates: Vec<(&str, Vec<u16>)> = known
        .map(|name| (name, name.encode_utf16().collect::<Vec<u16>>()))
        .filter(|(_, units)| units.len() > 2)
        .collect();
    let mut checked: HashMap<&str, Option<&str>> = HashMap::new();
    let mut lints = Vec::new();
    for token in tokens.iter().filter(|token| token.is_variable()) {
        let name = token.name;
        if given.contains(name) || is_system_variable(name) {
            continue;
        }
        if !checked.contains_key(name) && checked.len() < NEAR_MISS_NAMES {
            checked.insert(name, nearest(name, &candidates));
        }
        let Some(Some(meant)) = checked.get(name) else {
            continue;
        };
        let message = format!("{{{name}}} has no value. Did you mean {{{meant}}}?");
        let replacement = Some(format!("{{{meant}}}"));
        let range = (token.start, token.end);
        lints.push(Lint {
            replacement,
            ..lint(LintCode::NearMiss, message, range)
        });
    }
    lints
}

fn nearest<'a>(name: &str, candidates: &[(&'a str, Vec<u16>)]) -> Option<&'a str> {
    let units: Vec<u16> = name.encode_utf16().collect();
    let found = candidates
        .iter()
        .find(|(_, candidate)| differ_by_one(candidate, &units));
    found.map(|(candidate, _)| *candidate)
}

/// Whether one insertion, deletion or substitution turns one name into the other.
fn differ_by_one(left: &[u16], right: &[u16]) -> bool {
    let (short, long) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    if long.len() - short.len() > 1 || left == right {
        return false;
    }
    let same = short
        .iter()
        .zip(long)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = if short.len() == long.len() {
        same + 1
    } else {
        same
    };
    short.get(rest..) == long.get(same + 1..)
}

/// Surplus braces of a token that no brace of the surrounding text pairs with.
fn unbalanced_braces(template: &str, tokens: &[Token<'_>]) -> Vec<Lint> {
    let mut braces = Braces::default();
    let mut at = 0;
    for (index, token) in tokens.iter().enumerate() {
        braces.read_literal(&template[at..token.start]);
        for _ in token.depth..token.opening {
            braces.open.push(Some(index));
        }
        for _ in token.depth..token.closing {
            braces.close(Some(index));
        }
        at = token.end;
    }
    braces.read_literal(&template[at..]);
    let Braces { open, mut unpaired } = braces;
    unpaired.extend(open.into_iter().flatten());
    unpaired.sort_unstable();
    unpaired.dedup();
    unpaired
        .into_iter()
        .filter_map(|index| tokens.get(index))
        .map(unbalanced_lint)
        .collect()
}

/// Braces met so far, each with the token it belongs to, if any.
#[derive(Default)]
struct Braces {
    open: Vec<Option<usize>>,
    unpaired: Vec<usize>,
}

impl Braces {
    fn read_literal(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                b'{' => self.open.push(None),
                b'}' => self.close(None),
                _ => {}
            }
        }
    }

    fn close(&mut self, token: Option<usize>) {
        if self.open.pop().is_none() {
            self.unpaired.extend(token);
        }
    }
}

fn unbalanced_lint(token: &Token<'_>) -> Lint {
    let message = format!(
        "The braces around {} are not balanced. The surplus ones stay in the text.",
        token.name
    );
    lint(
        LintCode::UnbalancedBraces,
        message,
        (token.start, token.end),
    )
}

fn undelimited(tokens: &[Token<'_>]) -> Vec<Lint> {
    let neighbours = tokens.iter().zip(tokens.iter().skip(1));
    neighbours
        .filter(|(left, right)| {
            right.start == left.end && left.is_variable() && right.is_variable()
        })
        .map(|(left, right)| {
            let message = format!(
                "{{{}}} and {{{}}} run together. Put a delimiter between them.",
                left.name, right.name
            );
            lint(LintCode::Undelimited, message, (left.start, right.end))
        })
        .collect()
}

/// Turns byte offsets into the code units that editors count in.
fn in_code_units(template: &str, lints: &mut [Lint]) {
    if template.is_ascii() {
        return;
    }
    let mut at = (0, 0);
    for lint in lints {
        let start = at.1 + units(&template[at.0..lint.start]);
        let end = start + units(&template[lint.start..lint.end]);
        at = (lint.start, start);
        (lint.start, lint.end) = (start, end);
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
