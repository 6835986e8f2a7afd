//! Go's `fmt` for template values: `Sprint`, `Sprintf` and the `%v` of each kind.

use std::fmt::Write as _;

use super::value::Value;

/// What is put in place of a value that is not safe where it stands, recognisable in the output.
pub(super) const UNSAFE: &str = "ZgotmplZ";

/// `%v` of a value.
pub(super) fn display(value: &Value) -> String {
    match value {
        Value::Nil => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::Text(text) => text.clone(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(display).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Map(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{key}:{}", display(value)))
                .collect();
            format!("map[{}]", entries.join(" "))
        }
    }
}

/// `fmt.Sprint`: a space between operands when neither is a string.
pub(super) fn sprint(values: &[Value]) -> String {
    let mut out = String::new();
    for (index, value) in values.iter().enumerate() {
        let text = |value: &Value| matches!(value, Value::Text(_));
        if index > 0 && !text(value) && !text(&values[index - 1]) {
            out.push(' ');
        }
        out.push_str(&display(value));
    }
    out
}

/// `%v` of a float: the shortest digits, with an exponent below 1e-4 and from 1e6 on.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "+Inf".to_owned()
        } else {
            "-Inf".to_owned()
        };
    }
    let scientific = format!("{number:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `fmt.Sprintf` for the verbs templates use; flags and widths are refused.
pub(super) fn sprintf(format: &str, values: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = format.chars();
    let mut values = values.iter();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let Some(verb) = chars.next() else {
            out.push_str("%!(NOVERB)");
            break;
        };
        if verb == '%' {
            out.push('%');
            continue;
        }
        let Some(value) = values.next() else {
            let _ = write!(out, "%!{verb}(MISSING)");
            continue;
        };
        out.push_str(&verb_of(verb, value)?);
    }
    Ok(out)
}

fn verb_of(verb: char, value: &Value) -> Result<String, String> {
    match (verb, value) {
        ('v', value) | ('s', value @ Value::Text(_)) | ('d', value @ Value::Int(_)) => {
            Ok(display(value))
        }
        ('t', Value::Bool(flag)) => Ok(flag.to_string()),
        ('q', Value::Text(text)) => Ok(format!("{text:?}")),
        ('f', Value::Float(number)) => Ok(format!("{number:.6}")),
        _ => Err(format!(
            "printf: %{verb} of a {} is not supported",
            value.type_name()
        )),
    }
}
