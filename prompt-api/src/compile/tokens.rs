//! The token scanner of the template language.
//!
//! A token is a run of `{`, optional blanks, a name, optional blanks and a run of `}`. It is found
//! by a hand-written scan that never reads a byte twice: templates are pasted text, and the obvious
//! regular expression is quadratic on a long run of braces.

/// Longest name a variable may have.
pub(super) const NAME_LIMIT: usize = 64;

/// One token; offsets are bytes, `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The name between the braces.
    pub name: &'a str,
    /// The text between the two runs, blanks included.
    pub inner: &'a str,
    /// Where the first brace of the opening run stands.
    pub start: usize,
    /// Just after the last brace of the closing run.
    pub end: usize,
    /// Length of the opening run.
    pub opening: usize,
    /// Length of the closing run.
    pub closing: usize,
    /// Braces that belong to the token on either side: the shorter of the two runs.
    pub depth: usize,
}

impl Token<'_> {
    /// Whether it stands for a value; with an even number of braces it is an escaped name.
    pub fn is_variable(&self) -> bool {
        self.depth % 2 == 1
    }
}

/// All tokens of a text in order. Linear in its length.
pub fn scan(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = find_open(bytes, 0);
    while at < bytes.len() {
        match read(text, at) {
            Ok(token) => {
                at = find_open(bytes, token.end);
                tokens.push(token);
            }
            Err(next) => at = find_open(bytes, next),
        }
    }
    tokens
}

/// Whether a text could stand between braces as a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|first| is_letter(*first))
        && bytes.len() <= NAME_LIMIT
        && bytes.iter().all(|byte| is_name_byte(*byte))
}

/// Reads the token whose opening run starts at `start`, or answers from where the scan goes on: no
/// brace stands between, so no byte is read twice.
fn read(text: &str, start: usize) -> Result<Token<'_>, usize> {
    let bytes = text.as_bytes();
    let inside = skip(bytes, start, |byte| byte == b'{');
    let name_start = skip(bytes, inside, is_blank);
    if !bytes.get(name_start).is_some_and(|byte| is_letter(*byte)) {
        return Err(name_start);
    }
    let name_end = skip(bytes, name_start, is_name_byte);
    if name_end - name_start > NAME_LIMIT {
        return Err(name_end);
    }
    let inner_end = skip(bytes, name_end, is_blank);
    let end = skip(bytes, inner_end, |byte| byte == b'}');
    if end == inner_end {
        return Err(inner_end);
    }
    let (opening, closing) = (inside - start, end - inner_end);
    Ok(Token {
        name: &text[name_start..name_end],
        inner: &text[inside..inner_end],
        start,
        end,
        opening,
        closing,
        depth: opening.min(closing),
    })
}

fn find_open(bytes: &[u8], from: usize) -> usize {
    skip(bytes, from, |byte| byte != b'{')
}

fn skip(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[from..]
        .iter()
        .position(|byte| !wanted(*byte))
        .map_or(bytes.len(), |found| from + found)
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
