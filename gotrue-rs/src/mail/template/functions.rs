//! The functions templates may call: Go's built-in ones, without `call`, `js` and `slice`.

use std::cmp::Ordering;

use super::escape;
use super::format::{sprint, sprintf};
use super::value::Value;

/// `and` and `or` are here for the parser; they are evaluated lazily by `eval`.
const NAMES: [&str; 18] = [
    "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "print", "printf",
    "println", "html", "urlquery", "slice", "call",
];

/// Whether a template may use the function.
pub(super) fn exists(name: &str) -> bool {
    NAMES.contains(&name) && !matches!(name, "slice" | "call")
}

/// Calls a function.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    match name {
        "not" => one(name, arguments).map(|value| Value::Bool(!value.is_true())),
        "eq" => equal(arguments).map(Value::Bool),
        "ne" => two(name, arguments)
            .and_then(|(left, right)| left.equals(right))
            .map(|equal| Value::Bool(!equal)),
        "lt" => ordered(name, arguments, Ordering::is_lt),
        "le" => ordered(name, arguments, Ordering::is_le),
        "gt" => ordered(name, arguments, Ordering::is_gt),
        "ge" => ordered(name, arguments, Ordering::is_ge),
        "len" => length(one(name, arguments)?),
        "index" => index(arguments),
        "print" => Ok(Value::Text(sprint(arguments))),
        "println" => Ok(Value::Text(println(arguments))),
        "printf" => printf(arguments),
        "html" => Ok(Value::Text(escape::go_html(&escape::stringify(arguments)))),
        "urlquery" => Ok(Value::Text(escape::go_query(&escape::stringify(arguments)))),
        _ => Err(format!("function {name:?} not defined")),
    }
}

fn one<'a>(name: &str, arguments: &'a [Value]) -> Result<&'a Value, String> {
    match arguments {
        [value] => Ok(value),
        _ => Err(format!(
            "wrong number of args for {name}: want 1 got {}",
            arguments.len()
        )),
    }
}

fn two<'a>(name: &str, arguments: &'a [Value]) -> Result<(&'a Value, &'a Value), String> {
    match arguments {
        [left, right] => Ok((left, right)),
        _ => Err(format!(
            "wrong number of args for {name}: want 2 got {}",
            arguments.len()
        )),
    }
}

/// `eq a b c` is true when `a` equals any of the others.
fn equal(arguments: &[Value]) -> Result<bool, String> {
    let [first, others @ ..] = arguments else {
        return Err("wrong number of args for eq: want at least 1 got 0".to_owned());
    };
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    for other in others {
        if first.equals(other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn ordered(name: &str, arguments: &[Value], holds: fn(Ordering) -> bool) -> Result<Value, String> {
    let (left, right) = two(name, arguments)?;
    left.compare(right)
        .map(|ordering| Value::Bool(holds(ordering)))
}

fn length(value: &Value) -> Result<Value, String> {
    let length = match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        Value::Nil => return Err("len of nil pointer".to_owned()),
        other => return Err(format!("len of type {}", other.type_name())),
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// `index x 1 "a"` is `x[1]["a"]`.
fn index(arguments: &[Value]) -> Result<Value, String> {
    let [item, keys @ ..] = arguments else {
        return Err("wrong number of args for index: want at least 1 got 0".to_owned());
    };
    let mut item = item.clone();
    for key in keys {
        item = match (&item, key) {
            (Value::Nil, _) => return Err("index of untyped nil".to_owned()),
            (Value::List(items), Value::Int(at)) => usize::try_from(*at)
                .ok()
                .and_then(|at| items.get(at).cloned())
                .ok_or_else(|| format!("index out of range: {at}"))?,
            (Value::Text(text), Value::Int(at)) => usize::try_from(*at)
                .ok()
                .and_then(|at| text.as_bytes().get(at).copied())
                .map(|byte| Value::Int(i64::from(byte)))
                .ok_or_else(|| format!("index out of range: {at}"))?,
            (Value::Map(map), Value::Text(key)) => map.get(key).cloned().unwrap_or(Value::Nil),
            (Value::List(_) | Value::Text(_) | Value::Map(_), key) => {
                return Err(format!("cannot index with type {}", key.type_name()));
            }
            (other, _) => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(item)
}

fn println(arguments: &[Value]) -> String {
    let words: Vec<String> = arguments.iter().map(super::format::display).collect();
    format!("{}\n", words.join(" "))
}

fn printf(arguments: &[Value]) -> Result<Value, String> {
    match arguments {
        [Value::Text(format), values @ ..] => sprintf(format, values).map(Value::Text),
        _ => Err("printf: the format must be a string".to_owned()),
    }
}
