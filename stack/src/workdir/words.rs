//! A statement as the words that it is made of, for the few whose parts have to be known.

use std::collections::VecDeque;

/// A word of a statement.
enum Word {
    /// A key word, or a name without quotes, as Postgres folds it; or a sign.
    Plain(String),
    /// A name in double quotes, without them.
    Quoted(String),
    /// A string, without its quotes.
    Text(String),
}

/// The words of a statement that were not taken yet.
pub(super) struct Words(VecDeque<Word>);

impl Words {
    /// None if there is something in it that no such statement needs.
    pub(super) fn of(code: &str) -> Option<Self> {
        let mut words = Self(VecDeque::new());
        words.read(code).map(|()| words)
    }

    /// As far as they are ones that such statements need.
    pub(super) fn of_beginning(code: &str) -> Self {
        let mut words = Self(VecDeque::new());
        _ = words.read(code);
        words
    }

    fn read(&mut self, code: &str) -> Option<()> {
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let end = if rest.starts_with("--") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                // Without others inside.
                let end = rest.find("*/")? + 2;
                (!rest[2..end].contains("/*")).then_some(end)?
            } else if first.is_whitespace() {
                first.len_utf8()
            } else if is_part_of_name(first) {
                let end = rest.find(|it| !is_part_of_name(it)).unwrap_or(rest.len());
                // `E'…'`, `U&"…"`.
                let is_prefix = rest[end..].starts_with(['\'', '"', '&']);
                (!is_prefix).then_some(())?;
                self.0.push_back(Word::Plain(rest[..end].to_lowercase()));
                end
            } else if first == '"' || first == '\'' {
                let (text, end) = quoted(rest, first)?;
                self.0.push_back(if first == '"' {
                    Word::Quoted(text)
                } else {
                    Word::Text(text)
                });
                end
            } else {
                (first != '$').then_some(())?;
                self.0.push_back(Word::Plain(first.to_string()));
                first.len_utf8()
            };
            rest = &rest[end..];
        }
        Some(())
    }

    /// Takes the next word if it is this key word or sign.
    pub(super) fn take(&mut self, word: &str) -> Option<()> {
        self.takes(word).then_some(())
    }

    /// As [`Self::take`], and says whether it was.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is_next = matches!(self.0.front(), Some(Word::Plain(next)) if next == word);
        if is_next {
            self.0.pop_front();
        }
        is_next
    }

    /// Takes the next word if it is a name.
    pub(super) fn name(&mut self) -> Option<String> {
        match self.0.pop_front()? {
            Word::Plain(name) if name.starts_with(is_part_of_name) => Some(name),
            Word::Quoted(name) => Some(name),
            other => {
                self.0.push_front(other);
                None
            }
        }
    }

    /// Takes the next word if it is a string.
    pub(super) fn text(&mut self) -> Option<String> {
        match self.0.pop_front()? {
            Word::Text(text) => Some(text),
            other => {
                self.0.push_front(other);
                None
            }
        }
    }

    /// One or more of something, with commas between.
    pub(super) fn separated<T>(&mut self, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = vec![read(self)?];
        while self.takes(",") {
            all.push(read(self)?);
        }
        Some(all)
    }

    /// Whether all words were taken.
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What stands in the quotes at the start of `text`, and where they end.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            inside.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            inside.push(quote);
        } else {
            return Some((inside, at + quote.len_utf8()));
        }
    }
    None
}
