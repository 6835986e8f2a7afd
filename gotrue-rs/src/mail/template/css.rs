//! Style sheets, as far as mail templates put values into them.

use super::format::UNSAFE;

/// Where in a style sheet or `style` attribute the text has got to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Css {
    Plain,
    /// Inside a string or `url(…)`, up to this character.
    Quoted(char),
    Comment,
}

/// A value such as `12px`, `#fff` or `bold`; whatever could leave its declaration is refused.
pub(super) fn value(text: &str) -> String {
    let mut identifier = String::new();
    let mut previous = None;
    for c in text.chars() {
        let forbidden = match c {
            '\0' | '"' | '\'' | '(' | ')' | '/' | ';' | '@' | '[' | '\\' | ']' | '`' | '{'
            | '}' | '<' | '>' => true,
            '-' => previous == Some('-'),
            _ => false,
        };
        if forbidden {
            return UNSAFE.to_owned();
        }
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
            identifier.push(c.to_ascii_lowercase());
        }
        previous = Some(c);
    }
    let joined: String = identifier
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if identifier.contains("expression") || joined.contains("mozbinding") {
        return UNSAFE.to_owned();
    }
    text.to_owned()
}

/// Follows `text`; comments are cut out of `out` when `elide` is set, leaving a space.
pub(super) fn advance(mut state: Css, text: &str, elide: bool, out: &mut String) -> Css {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let in_comment = state == Css::Comment;
        match state {
            Css::Plain => match c {
                '"' | '\'' => state = Css::Quoted(c),
                '(' if ends_with_url(out) => state = Css::Quoted(')'),
                '/' if chars.peek() == Some(&'*') => {
                    chars.next();
                    if !elide {
                        out.push_str("/*");
                    }
                    state = Css::Comment;
                    continue;
                }
                _ => {}
            },
            Css::Quoted(end) => match c {
                '\\' => {
                    out.push(c);
                    out.extend(chars.next());
                    continue;
                }
                c if c == end => state = Css::Plain,
                _ => {}
            },
            Css::Comment => {
                if c == '*' && chars.peek() == Some(&'/') {
                    chars.next();
                    out.push_str(if elide { " " } else { "*/" });
                    state = Css::Plain;
                    continue;
                }
            }
        }
        if !(in_comment && elide) {
            out.push(c);
        }
    }
    state
}

fn ends_with_url(out: &str) -> bool {
    let tail = out.trim_end();
    tail.len() >= 3
        && tail.is_char_boundary(tail.len() - 3)
        && tail[tail.len() - 3..].eq_ignore_ascii_case("url")
}
