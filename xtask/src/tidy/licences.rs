//! Every crate that is linked in has a licence that deny.toml allows.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::dependencies::members;
use crate::root;
use crate::step::Failure;

pub(super) fn check(metadata: &Value) -> Result<Vec<String>, Failure> {
    let policy: toml::Table = fs::read_to_string(root().join("deny.toml"))?
        .parse()
        .map_err(|error| Failure::new(format!("deny.toml: {error}")))?;
    let allowed: Vec<&str> = policy["licenses"]["allow"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_str)
        .collect();
    let own: Vec<_> = members(metadata).map(|package| &package["id"]).collect();
    let mut breaches = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or("none stated");
        if !own.contains(&&package["id"]) && !satisfied(licence, &allowed) {
            breaches.insert(
                name,
                format!("{name}: licence {licence} is not in deny.toml"),
            );
        }
    }
    Ok(breaches.into_values().collect())
}

/// Whether an SPDX expression can be met with allowed licences: of alternatives one, of
/// conjunctions all.
fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ");
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut operators = Vec::new();
    let bytes = expression.as_bytes();
    for index in 0..bytes.len() {
        match bytes[index] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        for operator in [" OR ", " AND "] {
            if depth == 0 && expression[index..].starts_with(operator) {
                parts.push((&expression[start..index], operator));
                operators.push(operator);
                start = index + operator.len();
            }
        }
    }
    let last = expression[start..].trim();
    if operators.is_empty() {
        return match last
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
        {
            Some(inner) => satisfied(inner, allowed),
            None => allowed.contains(&last),
        };
    }
    // AND binds tighter than OR.
    let mut alternatives = vec![true];
    for (part, operator) in parts.iter().copied().chain([(last, " OR ")]) {
        if let Some(current) = alternatives.last_mut() {
            *current &= satisfied(part.trim(), allowed);
        }
        if operator == " OR " {
            alternatives.push(true);
        }
    }
    alternatives.pop();
    alternatives.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let allowed = ["MIT", "Apache-2.0", "ISC"];
        for (expression, expected) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("ISC AND (Apache-2.0 OR GPL-2.0)", true),
            ("(MIT OR GPL-2.0) AND GPL-3.0", false),
            ("none stated", false),
        ] {
            assert_eq!(satisfied(expression, &allowed), expected, "{expression}");
        }
    }
}
