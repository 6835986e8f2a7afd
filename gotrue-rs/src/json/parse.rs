//! A JSON parser that fails with the words of Go's scanner.

/// Deeper documents are refused.
///
/// Metadata comes back from the database and in tokens, a few levels further down, through a
/// reader that stops at 128: what is let in here must be readable there.
///
/// Upstream: Go allows 10,000 levels; nothing a client sends needs more than a few.
const MAX_DEPTH: usize = 100;

const END: &str = "unexpected end of JSON input";

/// A parsed value; objects keep every pair, numbers their text.
#[derive(Debug)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The kind of value, as the decoder names it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// Parses input that must hold exactly one value.
pub(super) fn whole(bytes: &[u8]) -> Result<Node, String> {
    let mut parser = Parser { bytes, at: 0 };
    let node = parser.value(0)?;
    parser.skip_blanks();
    match parser.peek() {
        None => Ok(node),
        Some(byte) => Err(unexpected(byte, "after top-level value")),
    }
}

/// Parses the first value of the input, as a stream decoder does.
pub(super) fn first(bytes: &[u8]) -> Result<Node, String> {
    let mut parser = Parser { bytes, at: 0 };
    parser.skip_blanks();
    if parser.peek().is_none() {
        return Err("EOF".to_owned());
    }
    parser.value(0).map_err(|text| {
        if text == END {
            "unexpected EOF".to_owned()
        } else {
            text
        }
    })
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, String> {
        let byte = self.peek().ok_or(END)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next byte that is not a blank.
    fn significant(&mut self) -> Result<u8, String> {
        self.skip_blanks();
        self.next()
    }

    fn value(&mut self, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        match self.significant()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => Ok(Node::String(self.string()?)),
            b't' => self.literal("true", Node::Bool(true)),
            b'f' => self.literal("false", Node::Bool(false)),
            b'n' => self.literal("null", Node::Null),
            byte @ (b'-' | b'0'..=b'9') => self.number(byte),
            byte => Err(unexpected(byte, "looking for beginning of value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node, String> {
        const KEY: &str = "looking for beginning of object key string";
        let mut pairs = Vec::new();
        let mut byte = self.significant()?;
        if byte == b'}' {
            return Ok(Node::Object(pairs));
        }
        loop {
            if byte != b'"' {
                return Err(unexpected(byte, KEY));
            }
            let key = self.string()?;
            byte = self.significant()?;
            if byte != b':' {
                return Err(unexpected(byte, "after object key"));
            }
            pairs.push((key, self.value(depth + 1)?));
            match self.significant()? {
                b',' => byte = self.significant()?,
                b'}' => return Ok(Node::Object(pairs)),
                other => return Err(unexpected(other, "after object key:value pair")),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node, String> {
        let mut items = Vec::new();
        self.skip_blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Node::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            match self.significant()? {
                b',' => {}
                b']' => return Ok(Node::Array(items)),
                other => return Err(unexpected(other, "after array element")),
            }
        }
    }

    fn literal(&mut self, word: &str, node: Node) -> Result<Node, String> {
        for expected in word.bytes().skip(1) {
            let byte = self.next()?;
            if byte != expected {
                let context = format!("in literal {word} (expecting {})", quote(expected));
                return Err(unexpected(byte, &context));
            }
        }
        Ok(node)
    }

    fn number(&mut self, lead: u8) -> Result<Node, String> {
        let start = self.at - 1;
        let first = if lead == b'-' {
            self.digit("in numeric literal")?
        } else {
            lead
        };
        if first != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(Node::Number(
            String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned(),
        ))
    }

    fn digit(&mut self, context: &str) -> Result<u8, String> {
        let byte = self.next()?;
        if byte.is_ascii_digit() {
            Ok(byte)
        } else {
            Err(unexpected(byte, context))
        }
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// The rest of a string whose opening quote has been read.
    fn string(&mut self) -> Result<String, String> {
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Ok(String::from_utf8_lossy(&text).into_owned()),
                b'\\' => self.escape(&mut text)?,
                byte if byte < 0x20 => return Err(unexpected(byte, "in string literal")),
                byte => text.push(byte),
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), String> {
        let plain = match self.next()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let symbol = self.unicode_escape()?;
                text.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            byte => return Err(unexpected(byte, "in string escape code")),
        };
        text.push(plain);
        Ok(())
    }

    /// A `\u` escape; half of a surrogate pair becomes the replacement character.
    fn unicode_escape(&mut self) -> Result<char, String> {
        let high = self.hex4()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let mark = self.at;
        if self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = mark;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let byte = self.next()?;
            let digit = char::from(byte)
                .to_digit(16)
                .ok_or_else(|| unexpected(byte, "in \\u hexadecimal character escape"))?;
            code = code * 16 + digit;
        }
        Ok(code)
    }
}

fn unexpected(byte: u8, context: &str) -> String {
    format!("invalid character {} {context}", quote(byte))
}

/// A byte as the scanner prints it.
fn quote(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        0x07 => r"'\a'".to_owned(),
        0x08 => r"'\b'".to_owned(),
        0x0c => r"'\f'".to_owned(),
        b'\n' => r"'\n'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        0x0b => r"'\v'".to_owned(),
        0x00..=0x1f | 0x7f => format!("'\\x{byte:02x}'"),
        0x80..=0xa0 | 0xad => format!("'\\u{:04x}'", u32::from(byte)),
        _ => format!("'{}'", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::{first, whole};

    #[test]
    fn syntax_errors_use_the_words_of_the_scanner() {
        for (input, text) in [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            (
                "{a:1}",
                "invalid character 'a' looking for beginning of object key string",
            ),
            (r#"{"a"1}"#, "invalid character '1' after object key"),
            (
                r#"{"a":1 "b"}"#,
                "invalid character '\"' after object key:value pair",
            ),
            ("[1 2]", "invalid character '2' after array element"),
            ("{} x", "invalid character 'x' after top-level value"),
            (
                "tru!",
                "invalid character '!' in literal true (expecting 'e')",
            ),
            ("01", "invalid character '1' after top-level value"),
            (
                "1.x",
                "invalid character 'x' after decimal point in numeric literal",
            ),
            (
                "1ex",
                "invalid character 'x' in exponent of numeric literal",
            ),
            ("-x", "invalid character 'x' in numeric literal"),
            ("\"\n\"", "invalid character '\\n' in string literal"),
            (r#""\x""#, "invalid character 'x' in string escape code"),
            (
                r#""\u12g4""#,
                "invalid character 'g' in \\u hexadecimal character escape",
            ),
            (
                "'",
                r"invalid character '\'' looking for beginning of value",
            ),
            (
                "\u{e9}",
                "invalid character 'Ã' looking for beginning of value",
            ),
        ] {
            assert_eq!(whole(input.as_bytes()).unwrap_err(), text, "{input}");
        }
    }

    #[test]
    fn a_stream_ignores_what_follows_and_names_its_end_differently() {
        assert!(first(b"{} trailing").is_ok());
        assert_eq!(first(b" ").unwrap_err(), "EOF");
        assert_eq!(first(b"{").unwrap_err(), "unexpected EOF");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "[".repeat(100_000);
        assert_eq!(whole(deep.as_bytes()).unwrap_err(), "exceeded max depth");
    }
}
