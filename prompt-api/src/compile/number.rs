//! Numbers in the form every implementation writes: the shortest text that reads back as the same
//! double, as ECMAScript's `Number::toString` spells it (`1.0` is `1`, `1e21` is `1e+21`).

/// Appends a finite number.
pub(super) fn push(output: &mut String, number: f64) {
    output.push_str(ryu_js::Buffer::new().format_finite(number));
}
