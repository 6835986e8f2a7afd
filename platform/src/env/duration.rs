//! Go's duration syntax (`1h30m`, `250ms`, `1.5s`), as upstream's configuration uses it.

use std::time::Duration;

/// Parses a non-negative Go duration. `0` needs no unit; everything else does.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(platform::env::parse_duration("1m30s"), Some(Duration::from_secs(90)));
/// assert_eq!(platform::env::parse_duration("90"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let unit_end = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let seconds = number.parse::<f64>().ok()? * unit_seconds(unit)?;
        total = total.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        rest = tail;
    }
    Some(total)
}

fn unit_seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations_parse_and_others_do_not() {
        for (text, millis) in [
            ("0", 0),
            ("10s", 10_000),
            ("1h2m3s", 3_723_000),
            ("1.5s", 1_500),
            ("250ms", 250),
        ] {
            assert_eq!(
                parse_duration(text),
                Some(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for text in ["", "5", "s", "1d", "1h-2m", "ten", "1..5s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
