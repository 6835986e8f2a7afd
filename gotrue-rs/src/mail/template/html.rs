//! Where in its HTML a template has got to. Follows text the way a browser would read it.

use super::attribute::{Attribute, attribute};
use super::css::{self, Css};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) state: State,
    pub(super) element: Element,
    pub(super) attribute: Attribute,
    pub(super) delimiter: Delimiter,
    pub(super) part: UrlPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Text,
    Comment,
    Tag,
    AttributeName,
    AfterName,
    BeforeValue,
    /// A plain attribute's value.
    Value,
    Url,
    Css(Css),
    /// `<textarea>` and `<title>`.
    Rcdata,
    /// `<script>`, event handlers, `srcset`: text passes, actions do not.
    Closed,
    /// After `{{ break }}`: never reached.
    Dead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Other,
    Script,
    Style,
    Textarea,
    Title,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    None,
    Double,
    Single,
    /// An unquoted value: ends at white space or `>`.
    Space,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UrlPart {
    Start,
    Path,
    Query,
    Unknown,
}

pub(super) const START: Context = Context {
    state: State::Text,
    element: Element::Other,
    attribute: Attribute::Plain,
    delimiter: Delimiter::None,
    part: UrlPart::Start,
};

pub(super) const SPACES: [char; 5] = [' ', '\t', '\n', '\u{c}', '\r'];

/// The context after either branch.
pub(super) fn join(left: Context, right: Context) -> Result<Context, String> {
    if left.state == State::Dead || left == right {
        return Ok(right);
    }
    if right.state == State::Dead {
        return Ok(left);
    }
    if (Context {
        part: right.part,
        ..left
    }) == right
    {
        return Ok(Context {
            part: UrlPart::Unknown,
            ..left
        });
    }
    let (nudged_left, nudged_right) = (nudge(left), nudge(right));
    if (nudged_left, nudged_right) != (left, right) {
        return join(nudged_left, nudged_right);
    }
    Err(format!(
        "branches end in different contexts: {:?}, {:?}",
        left.state, right.state
    ))
}

/// The context an action meets: a value begins, or an attribute name.
pub(super) fn nudge(context: Context) -> Context {
    match context.state {
        State::Tag => Context {
            state: State::AttributeName,
            ..context
        },
        State::AfterName => Context {
            state: State::AttributeName,
            attribute: Attribute::Plain,
            ..context
        },
        State::BeforeValue => Context {
            state: value_state(context.attribute),
            delimiter: Delimiter::Space,
            attribute: Attribute::Plain,
            ..context
        },
        _ => context,
    }
}

fn value_state(attribute: Attribute) -> State {
    match attribute {
        Attribute::Plain => State::Value,
        Attribute::Url => State::Url,
        Attribute::Style => State::Css(Css::Plain),
        Attribute::Closed => State::Closed,
    }
}

/// Follows `text`, pushes what stays of it to `out`, and returns the context behind it.
pub(super) fn follow(
    mut context: Context,
    text: &str,
    out: &mut String,
) -> Result<Context, String> {
    let mut rest = text;
    while !rest.is_empty() {
        let (next, used) = if context.delimiter == Delimiter::None {
            step(context, rest, out)?
        } else {
            attribute_value(context, rest, out)?
        };
        context = next;
        rest = &rest[used..];
    }
    Ok(context)
}

fn step(context: Context, text: &str, out: &mut String) -> Result<(Context, usize), String> {
    match context.state {
        State::Text => Ok(step_text(context, text, out)),
        State::Comment => Ok(match text.find("-->") {
            Some(end) => (START, end + 3),
            None => (context, text.len()),
        }),
        State::Tag => step_tag(context, text, out),
        State::AttributeName => {
            let end = attribute_name_end(text)?;
            out.push_str(&text[..end]);
            let state = if end < text.len() {
                State::AfterName
            } else {
                context.state
            };
            Ok((Context { state, ..context }, end))
        }
        State::AfterName => {
            let spaces = leading_spaces(text);
            let equals = usize::from(text[spaces..].starts_with('='));
            out.push_str(&text[..spaces + equals]);
            let state = match (spaces == text.len(), equals) {
                (true, _) => State::AfterName,
                (false, 1) => State::BeforeValue,
                (false, _) => State::Tag,
            };
            Ok((Context { state, ..context }, spaces + equals))
        }
        State::BeforeValue => Ok(before_value(context, text, out)),
        State::Rcdata | State::Css(_) | State::Closed => Ok(step_special(context, text, out)),
        State::Value | State::Url | State::Dead => {
            out.push_str(text);
            Ok((context, text.len()))
        }
    }
}

fn leading_spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(SPACES).len()
}

fn step_text(context: Context, text: &str, out: &mut String) -> (Context, usize) {
    let mut from = 0;
    while let Some(at) = text[from..].find('<').map(|at| from + at) {
        if text[at..].starts_with("<!--") {
            push_escaped(&text[..at], out);
            return (
                Context {
                    state: State::Comment,
                    ..START
                },
                at + 4,
            );
        }
        let closing = text[at + 1..].starts_with('/');
        let name_start = at + 1 + usize::from(closing);
        let name_end = name_start + tag_name_length(&text[name_start..]);
        if name_end > name_start {
            push_escaped(&text[..at], out);
            out.push_str(&text[at..name_end]);
            let element = if closing {
                Element::Other
            } else {
                element(&text[name_start..name_end])
            };
            return (
                Context {
                    state: State::Tag,
                    element,
                    ..START
                },
                name_end,
            );
        }
        from = at + 1;
    }
    push_escaped(text, out);
    (context, text.len())
}

/// A `<` that opens nothing is written out as text.
fn push_escaped(text: &str, out: &mut String) {
    let mut parts = text.split('<');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let doctype = part
            .get(..8)
            .is_some_and(|start| start.eq_ignore_ascii_case("!doctype"));
        out.push_str(if doctype { "<" } else { "&lt;" });
        out.push_str(part);
    }
}

fn tag_name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let mut end = 1;
    while end < bytes.len() {
        let joins = matches!(bytes[end], b':' | b'-')
            && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        match bytes[end] {
            byte if byte.is_ascii_alphanumeric() => end += 1,
            _ if joins => end += 2,
            _ => break,
        }
    }
    end
}

fn element(name: &str) -> Element {
    match name.to_ascii_lowercase().as_str() {
        "script" => Element::Script,
        "style" => Element::Style,
        "textarea" => Element::Textarea,
        "title" => Element::Title,
        _ => Element::Other,
    }
}

fn step_tag(context: Context, text: &str, out: &mut String) -> Result<(Context, usize), String> {
    let spaces = leading_spaces(text);
    out.push_str(&text[..spaces]);
    if spaces == text.len() {
        return Ok((context, spaces));
    }
    let inside = &text[spaces..];
    if inside.starts_with('>') {
        out.push('>');
        let state = match context.element {
            Element::Other => State::Text,
            Element::Script => State::Closed,
            Element::Style => State::Css(Css::Plain),
            Element::Textarea | Element::Title => State::Rcdata,
        };
        return Ok((
            Context {
                state,
                element: context.element,
                ..START
            },
            spaces + 1,
        ));
    }
    let end = attribute_name_end(inside)?;
    if end == 0 {
        return Err(format!(
            "expected space, attr name, or end of tag, but got {inside:?}"
        ));
    }
    out.push_str(&inside[..end]);
    let state = if end == inside.len() {
        State::AttributeName
    } else {
        State::AfterName
    };
    let attribute = attribute(&inside[..end].to_lowercase());
    Ok((
        Context {
            state,
            attribute,
            element: context.element,
            ..START
        },
        spaces + end,
    ))
}

fn attribute_name_end(text: &str) -> Result<usize, String> {
    for (at, c) in text.char_indices() {
        match c {
            '=' | '>' => return Ok(at),
            '\'' | '"' | '<' => return Err(format!("{c:?} in attribute name")),
            c if SPACES.contains(&c) => return Ok(at),
            _ => {}
        }
    }
    Ok(text.len())
}

fn before_value(context: Context, text: &str, out: &mut String) -> (Context, usize) {
    let spaces = leading_spaces(text);
    out.push_str(&text[..spaces]);
    if spaces == text.len() {
        return (context, spaces);
    }
    let (delimiter, used) = match text.as_bytes()[spaces] {
        b'"' => (Delimiter::Double, 1),
        b'\'' => (Delimiter::Single, 1),
        _ => (Delimiter::Space, 0),
    };
    out.push_str(&text[spaces..spaces + used]);
    (
        Context {
            state: value_state(context.attribute),
            delimiter,
            ..context
        },
        spaces + used,
    )
}

/// The content of an element that only its own end tag closes.
fn step_special(context: Context, text: &str, out: &mut String) -> (Context, usize) {
    let end = special_end(context.element, text);
    let content = &text[..end.unwrap_or(text.len())];
    let mut next = context;
    match context.state {
        State::Rcdata => push_escaped(content, out),
        State::Css(css) => next.state = State::Css(css::advance(css, content, true, out)),
        _ => out.push_str(content),
    }
    match end {
        Some(end) => (START, end),
        None => (next, text.len()),
    }
}

fn special_end(element: Element, text: &str) -> Option<usize> {
    let name = match element {
        Element::Other => return None,
        Element::Script => "script",
        Element::Style => "style",
        Element::Textarea => "textarea",
        Element::Title => "title",
    };
    text.match_indices("</").map(|(at, _)| at).find(|at| {
        let after = &text[at + 2..];
        let closes = |rest: &str| rest.starts_with(|c| c == '>' || c == '/' || SPACES.contains(&c));
        after
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
            && closes(&after[name.len()..])
    })
}

fn attribute_value(
    context: Context,
    text: &str,
    out: &mut String,
) -> Result<(Context, usize), String> {
    let end = match context.delimiter {
        Delimiter::Double => text.find('"'),
        Delimiter::Single => text.find('\''),
        Delimiter::None | Delimiter::Space => text.find(|c| c == '>' || SPACES.contains(&c)),
    };
    let value = &text[..end.unwrap_or(text.len())];
    if context.delimiter == Delimiter::Space
        && let Some(bad) = value
            .chars()
            .find(|c| matches!(c, '"' | '\'' | '<' | '=' | '`'))
    {
        return Err(format!("{bad:?} in unquoted attr: {value:?}"));
    }
    let Some(end) = end else {
        return Ok((inside_value(context, value, out), text.len()));
    };
    let used = end + usize::from(context.delimiter != Delimiter::Space);
    out.push_str(&text[..used]);
    Ok((
        Context {
            state: State::Tag,
            element: context.element,
            ..START
        },
        used,
    ))
}

fn inside_value(mut context: Context, value: &str, out: &mut String) -> Context {
    match context.state {
        State::Url => {
            out.push_str(value);
            // A character reference such as `&#39;` is no fragment.
            if value.replace("&#", "&").contains(['#', '?']) {
                context.part = UrlPart::Query;
            } else if leading_spaces(value) < value.len() && context.part == UrlPart::Start {
                context.part = UrlPart::Path;
            }
        }
        State::Css(css) => context.state = State::Css(css::advance(css, value, false, out)),
        _ => out.push_str(value),
    }
    context
}
