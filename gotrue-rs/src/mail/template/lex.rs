//! Cuts a template into literal text and the tokens of its actions.

use super::{TemplateError, Value};

/// One piece of the source.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// Text outside `{{ }}`, trim markers already applied.
    Text { line: usize, text: String },
    /// The inside of one `{{ }}`.
    Action { line: usize, tokens: Vec<Token> },
}

/// A token and whether white space stands before it: `.A.B` is one operand, `.A .B` two.
#[derive(Debug, PartialEq, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) spaced: bool,
}

#[derive(Debug, PartialEq, Clone)]
pub(super) enum Kind {
    /// A keyword or a function name.
    Word(String),
    /// `.Name`
    Field(String),
    /// A lone `.`
    Dot,
    /// `$` or `$name`, without the dollar sign.
    Variable(String),
    Literal(Value),
    Nil,
    Pipe,
    Open,
    Close,
    Comma,
    Declare,
    Assign,
}

const TRIMMED: [char; 4] = [' ', '\t', '\r', '\n'];

/// Splits `source` at its delimiters.
pub(super) fn split(source: &str) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = source;
    let mut line = 1;
    let mut trim_next = false;
    loop {
        let (text, after) = match rest.split_once("{{") {
            Some((text, after)) => (text, Some(after)),
            None => (rest, None),
        };
        let lines_in_text = text.matches('\n').count();
        let mut kept = text;
        if trim_next {
            kept = kept.trim_start_matches(TRIMMED);
        }
        let Some(mut action) = after else {
            push_text(&mut pieces, line, kept);
            return Ok(pieces);
        };
        if let Some(inner) = action
            .strip_prefix('-')
            .filter(|inner| inner.starts_with(TRIMMED))
        {
            kept = kept.trim_end_matches(TRIMMED);
            action = inner;
        }
        push_text(&mut pieces, line, kept);
        line += lines_in_text;
        let (piece, remaining, trimmed) = read_action(action, line)?;
        line += action[..action.len() - remaining.len()]
            .matches('\n')
            .count();
        pieces.extend(piece);
        (rest, trim_next) = (remaining, trimmed);
    }
}

fn push_text(pieces: &mut Vec<Piece>, line: usize, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Text {
            line,
            text: text.to_owned(),
        });
    }
}

type Action<'a> = (Option<Piece>, &'a str, bool);

fn read_action(source: &str, line: usize) -> Result<Action<'_>, TemplateError> {
    let body = source.trim_start_matches(TRIMMED);
    if body.starts_with("/*") {
        return read_comment(body, line);
    }
    let mut scanner = Scanner {
        rest: source,
        line,
        tokens: Vec::new(),
    };
    let trimmed = scanner.run()?;
    Ok((
        Some(Piece::Action {
            line,
            tokens: scanner.tokens,
        }),
        scanner.rest,
        trimmed,
    ))
}

fn read_comment(body: &str, line: usize) -> Result<Action<'_>, TemplateError> {
    let Some((_, after)) = body.split_once("*/") else {
        return Err(TemplateError::new(line, "unclosed comment"));
    };
    if let Some(rest) = after.strip_prefix("}}") {
        return Ok((None, rest, false));
    }
    let marker = after.trim_start_matches(TRIMMED);
    match marker.strip_prefix("-}}") {
        Some(rest) if marker.len() < after.len() => Ok((None, rest, true)),
        _ => Err(TemplateError::new(
            line,
            "comment ends before closing delimiter",
        )),
    }
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<Token>,
}

impl Scanner<'_> {
    /// Reads tokens up to the closing delimiter; true when it carries a trim marker.
    fn run(&mut self) -> Result<bool, TemplateError> {
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start_matches(TRIMMED);
            let spaced = self.rest.len() < before;
            if spaced && let Some(rest) = self.rest.strip_prefix("-}}") {
                self.rest = rest;
                return Ok(true);
            }
            if let Some(rest) = self.rest.strip_prefix("}}") {
                self.rest = rest;
                return Ok(false);
            }
            let kind = self.token()?;
            self.tokens.push(Token { kind, spaced });
        }
    }

    fn token(&mut self) -> Result<Kind, TemplateError> {
        if let Some(rest) = self.rest.strip_prefix(":=") {
            self.rest = rest;
            return Ok(Kind::Declare);
        }
        let Some(first) = self.rest.chars().next() else {
            return Err(self.error("unclosed action"));
        };
        match first {
            '|' => Ok(self.single(Kind::Pipe)),
            '(' => Ok(self.single(Kind::Open)),
            ')' => Ok(self.single(Kind::Close)),
            ',' => Ok(self.single(Kind::Comma)),
            '=' => Ok(self.single(Kind::Assign)),
            '"' => self.quoted(),
            '`' => self.raw(),
            '\'' => self.character(),
            '$' => {
                self.rest = &self.rest[1..];
                Ok(Kind::Variable(self.word()))
            }
            '.' => self.field_or_number(),
            '+' | '-' | '0'..='9' => self.number(),
            _ if first == '_' || first.is_alphabetic() => Ok(self.name()),
            _ => Err(self.error(format!("unexpected {first:?} in action"))),
        }
    }

    fn single(&mut self, kind: Kind) -> Kind {
        self.rest = &self.rest[1..];
        kind
    }

    fn word(&mut self) -> String {
        let end = self
            .rest
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn name(&mut self) -> Kind {
        match self.word() {
            word if word == "true" => Kind::Literal(Value::Bool(true)),
            word if word == "false" => Kind::Literal(Value::Bool(false)),
            word if word == "nil" => Kind::Nil,
            word => Kind::Word(word),
        }
    }

    fn field_or_number(&mut self) -> Result<Kind, TemplateError> {
        if self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        self.rest = &self.rest[1..];
        let name = self.word();
        Ok(if name.is_empty() {
            Kind::Dot
        } else {
            Kind::Field(name)
        })
    }

    fn number(&mut self) -> Result<Kind, TemplateError> {
        let signed = usize::from(self.rest.starts_with(['+', '-']));
        let mut end = signed;
        let bytes = self.rest.as_bytes();
        while end < bytes.len()
            && (bytes[end].is_ascii_alphanumeric()
                || matches!(bytes[end], b'.' | b'_')
                || (matches!(bytes[end], b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E')))
        {
            end += 1;
        }
        let (text, rest) = self.rest.split_at(end);
        let literal = super::value::parse_number(text)
            .ok_or_else(|| self.error(format!("bad number syntax: {text:?}")))?;
        self.rest = rest;
        Ok(Kind::Literal(literal))
    }

    fn raw(&mut self) -> Result<Kind, TemplateError> {
        let Some((text, rest)) = self.rest[1..].split_once('`') else {
            return Err(self.error("unterminated raw quoted string"));
        };
        let literal = Kind::Literal(Value::Text(text.to_owned()));
        self.rest = rest;
        Ok(literal)
    }

    fn quoted(&mut self) -> Result<Kind, TemplateError> {
        let (text, rest) = unquote(&self.rest[1..], '"')
            .ok_or_else(|| self.error("unterminated or malformed quoted string"))?;
        self.rest = rest;
        Ok(Kind::Literal(Value::Text(text)))
    }

    fn character(&mut self) -> Result<Kind, TemplateError> {
        let malformed = "malformed character constant";
        let (text, rest) = unquote(&self.rest[1..], '\'').ok_or_else(|| self.error(malformed))?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => {
                self.rest = rest;
                Ok(Kind::Literal(Value::Int(i64::from(u32::from(character)))))
            }
            _ => Err(self.error(malformed)),
        }
    }

    fn error(&self, reason: impl Into<String>) -> TemplateError {
        TemplateError::new(self.line, reason)
    }
}

/// Reads Go's interpreted string up to `quote`; the text and what follows the closing quote.
fn unquote(source: &str, quote: char) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = source.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((text, &source[at + c.len_utf8()..])),
            '\n' => return None,
            '\\' => text.push(escaped(&mut chars, quote)?),
            c => text.push(c),
        }
    }
    None
}

fn escaped(chars: &mut std::str::CharIndices<'_>, quote: char) -> Option<char> {
    let (_, c) = chars.next()?;
    let digits = match c {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'a' => return Some('\u{7}'),
        'b' => return Some('\u{8}'),
        'f' => return Some('\u{c}'),
        'v' => return Some('\u{b}'),
        '\\' => return Some('\\'),
        c if c == quote => return Some(c),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + chars.next()?.1.to_digit(16)?;
    }
    char::from_u32(code)
}
