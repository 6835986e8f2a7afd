//! Where a request ends.
//!
//! The layer above makes requests of all bytes it is given, several at once, and keeps them until
//! their turn comes, which takes a hundred times what a client needs to send them. So it is given
//! no byte behind the end of a request before that is answered. What is malformed is told by the
//! layer above: it only has to be handed over.

use memchr::memchr_iter;

/// How long a body is, by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyLength {
    Known(u64),
    Chunked,
    /// Until the connection ends.
    Endless,
}

/// What the next bytes of a connection belong to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Head(Head),
    /// So much of a body, or all the rest.
    Body(u64),
    Chunks(Chunks),
    /// All of it has come.
    Over,
}

impl Default for Part {
    fn default() -> Self {
        Self::Head(Head::default())
    }
}

impl Part {
    pub(super) fn body(length: BodyLength) -> Self {
        match length {
            BodyLength::Known(0) => Self::Over,
            BodyLength::Known(length) => Self::Body(length),
            BodyLength::Chunked => Self::Chunks(Chunks::default()),
            BodyLength::Endless => Self::Body(u64::MAX),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    pub(super) fn is_chunks(&self) -> bool {
        matches!(self, Self::Chunks(_))
    }

    /// Whether there is nothing of a request yet but empty lines.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self, Self::Head(head) if head.is_blank())
    }

    /// How many of these bytes belong to it; all of them unless it ends among them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let end = match self {
            Self::Head(head) => head.end(bytes),
            Self::Body(left) => take(left, bytes),
            Self::Chunks(chunks) => chunks.end(bytes),
            Self::Over => Some(0),
        };
        if end.is_some() {
            *self = Self::Over;
        }
        end.unwrap_or(bytes.len())
    }
}

/// Takes up to `left` bytes; where they end if none is left.
fn take(left: &mut u64, bytes: &[u8]) -> Option<usize> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if let Some(rest) = left.checked_sub(length).filter(|rest| *rest > 0) {
        *left = rest;
        return None;
    }
    usize::try_from(std::mem::take(left)).ok()
}

/// Lines up to an empty one, without those before the first that says something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    begun: bool,
    line: Line,
}

/// What of the current line has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Nothing,
    /// A carriage return.
    Return,
    Text,
}

impl Line {
    /// More of this line.
    fn and(self, bytes: &[u8]) -> Self {
        match (self, bytes) {
            (line, []) => line,
            (Self::Nothing, [b'\r']) => Self::Return,
            _ => Self::Text,
        }
    }
}

impl Head {
    fn is_blank(self) -> bool {
        !self.begun && self.line != Line::Text
    }

    /// The position behind its end.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        for newline in memchr_iter(b'\n', bytes) {
            let is_empty = self.line.and(&bytes[start..newline]) != Line::Text;
            if is_empty && self.begun {
                return Some(newline + 1);
            }
            self.begun |= !is_empty;
            self.line = Line::Nothing;
            start = newline + 1;
        }
        self.line = self.line.and(&bytes[start..]);
        None
    }
}

/// A body that says its length piece by piece: a line with the length in hexadecimal digits and
/// maybe more, so many bytes, a line's end; behind a length of zero, lines up to an empty one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunks {
    /// Bytes left of the current piece and of the line's end behind it.
    left: u64,
    /// The length that is being said.
    size: u64,
    /// Whether the digits are over.
    said: bool,
    /// Where in the lines behind the length zero, once that has been said.
    trailer: Option<Trailer>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Trailer {
    #[default]
    Start,
    StartReturn,
    Text,
    TextReturn,
}

impl Trailer {
    /// Where the next byte leads; nowhere if it ends the last line.
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Start, b'\r') => Self::StartReturn,
            (Self::StartReturn, b'\n') => return None,
            (Self::TextReturn, b'\n') => Self::Start,
            (_, b'\r') => Self::TextReturn,
            _ => Self::Text,
        })
    }
}

impl Chunks {
    /// The position behind its end.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        const LINE_END: u64 = 2;
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if self.left > 0 {
                at += take(&mut self.left, rest).unwrap_or(rest.len());
                continue;
            }
            at += 1;
            if let Some(trailer) = self.trailer {
                self.trailer = trailer.next(rest[0]);
                if self.trailer.is_none() {
                    return Some(at);
                }
                continue;
            }
            match (rest[0], char::from(rest[0]).to_digit(16)) {
                (b'\n', _) => {
                    match std::mem::take(&mut self.size) {
                        0 => self.trailer = Some(Trailer::default()),
                        size => self.left = size.saturating_add(LINE_END),
                    }
                    self.said = false;
                }
                (_, Some(digit)) if !self.said => {
                    self.size = self.size.saturating_mul(16).saturating_add(digit.into());
                }
                _ => self.said = true,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of `text` behind the part, however it is cut in two.
    fn rest_behind(part: Part, text: &'static str) -> &'static str {
        let mut rests = (0..=text.len()).map(|cut| {
            let mut part = part;
            let mut taken = part.take(&text.as_bytes()[..cut]);
            if taken == cut {
                taken += part.take(&text.as_bytes()[cut..]);
            }
            &text[taken..]
        });
        let rest = rests.next().unwrap();
        assert!(rests.all(|other| other == rest), "{text:?}");
        rest
    }

    #[test]
    fn a_head_ends_at_the_first_empty_line_behind_its_first_line() {
        for (text, rest) in [
            ("GET / HTTP/1.1\r\nhost: x\r\n\r\nGET", "GET"),
            ("GET / HTTP/1.1\nhost: x\n\nGET", "GET"),
            ("GET / HTTP/1.1\nhost: x\r\n\nGET", "GET"),
            ("\r\n\n\r\nGET / HTTP/1.1\r\n\r\n\r\n", "\r\n"),
            ("GET / HTTP/1.1\r\nhost: x\r\n\r\r\n", ""),
            ("GET / HTTP/1.1\r\nhost: x\r\n", ""),
            ("\r\n\r\n", ""),
            ("", ""),
        ] {
            assert_eq!(rest_behind(Part::default(), text), rest, "{text:?}");
        }
    }

    #[test]
    fn a_body_ends_where_its_head_said() {
        for (length, rest) in [(0, "abc"), (2, "c"), (3, ""), (4, "")] {
            let part = Part::body(BodyLength::Known(length));
            assert_eq!(rest_behind(part, "abc"), rest, "{length}");
        }
        assert_eq!(rest_behind(Part::body(BodyLength::Endless), "abc"), "");
    }

    #[test]
    fn a_chunked_body_ends_behind_its_last_chunk() {
        for (text, rest) in [
            ("0\r\n\r\nGET", "GET"),
            ("3\r\nabc\r\n0\r\n\r\nGET", "GET"),
            ("3\r\n0\r\n\r\n0\r\n\r\nGET", "GET"),
            ("0C;a=0\r\n0\r\n\r\n0\r\n\r\nab\r\n00;b\r\n\r\nGET", "GET"),
            ("0\r\na: b\r\n\r\nGET", "GET"),
            ("0\r\na: b\r\nc: d\n\r\n\r\nGET", "GET"),
            ("0\r\n\n\r\n\r\nGET", "GET"),
            ("ffffffffffffffffffff\r\nabc", ""),
            ("3\r\nabc\r\n", ""),
        ] {
            let part = Part::body(BodyLength::Chunked);
            assert_eq!(rest_behind(part, text), rest, "{text:?}");
        }
    }
}
