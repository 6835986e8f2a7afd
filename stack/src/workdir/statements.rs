//! Splitting a file into statements, for the record the CLI keeps of each
//! migration (`pkg/parser`). The file itself is run as it is.

/// What the scanner is inside of.
enum Inside {
    Nothing,
    LineComment,
    /// Block comments nest in Postgres.
    BlockComment(u32),
    /// Until this character comes alone; a doubled one stands for itself.
    Quoted(char),
    /// An `E'…'` string, in which a backslash escapes.
    Escaped,
    /// Until this tag comes again.
    Dollar(String),
}

/// The statements of `sql`, trimmed, without their semicolons and without what is
/// empty or only a comment.
pub(super) fn split(sql: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut start = 0;
    let mut scanner = Scanner {
        sql,
        at: 0,
        inside: Inside::Nothing,
        depth: 0,
        atomic: 0,
    };
    while let Some(end) = scanner.next_end() {
        push(&mut statements, &sql[start..end]);
        start = (end + 1).min(sql.len());
    }
    push(&mut statements, &sql[start..]);
    statements
}

fn push(statements: &mut Vec<String>, text: &str) {
    let text = text.trim();
    let is_comment = text.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with("--")
    });
    if !is_comment {
        statements.push(text.to_owned());
    }
}

struct Scanner<'a> {
    sql: &'a str,
    at: usize,
    inside: Inside,
    /// Open parentheses.
    depth: u32,
    /// Open `begin atomic … end` and `case … end` of SQL function bodies.
    atomic: u32,
}

impl Scanner<'_> {
    /// The place of the next semicolon that ends a statement.
    fn next_end(&mut self) -> Option<usize> {
        while let Some(character) = self.rest().chars().next() {
            let here = self.at;
            let ends = matches!(self.inside, Inside::Nothing)
                && character == ';'
                && self.depth == 0
                && self.atomic == 0;
            self.step(character);
            if ends {
                return Some(here);
            }
        }
        None
    }

    fn rest(&self) -> &str {
        &self.sql[self.at..]
    }

    fn step(&mut self, character: char) {
        let width = match &mut self.inside {
            Inside::Nothing => return self.step_outside(character),
            Inside::LineComment => {
                if character == '\n' {
                    self.inside = Inside::Nothing;
                }
                character.len_utf8()
            }
            Inside::BlockComment(depth) => {
                let rest = &self.sql[self.at..];
                let (change, width) = match () {
                    () if rest.starts_with("*/") => (-1, 2),
                    () if rest.starts_with("/*") => (1, 2),
                    () => (0, character.len_utf8()),
                };
                *depth = depth.saturating_add_signed(change);
                if *depth == 0 {
                    self.inside = Inside::Nothing;
                }
                width
            }
            Inside::Quoted(quote) => {
                // A doubled quote closes and opens again, which comes to the same.
                if character == *quote {
                    self.inside = Inside::Nothing;
                }
                character.len_utf8()
            }
            Inside::Escaped => match character {
                '\\' => {
                    1 + self.sql[self.at + 1..]
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8)
                }
                '\'' => {
                    self.inside = Inside::Nothing;
                    1
                }
                other => other.len_utf8(),
            },
            Inside::Dollar(tag) => {
                if self.sql[self.at..].starts_with(tag.as_str()) {
                    let width = tag.len();
                    self.inside = Inside::Nothing;
                    width
                } else {
                    character.len_utf8()
                }
            }
        };
        self.at += width;
    }

    fn step_outside(&mut self, character: char) {
        let rest = &self.sql[self.at..];
        let mut width = character.len_utf8();
        match character {
            '-' if rest.starts_with("--") => self.inside = Inside::LineComment,
            '/' if rest.starts_with("/*") => {
                self.inside = Inside::BlockComment(1);
                width = 2;
            }
            '\'' if self.follows_e() => self.inside = Inside::Escaped,
            '\'' | '"' => self.inside = Inside::Quoted(character),
            '$' if !self.follows_word() => {
                if let Some(tag) = dollar_tag(rest) {
                    width = tag.len();
                    self.inside = Inside::Dollar(tag.to_owned());
                }
            }
            '(' => self.depth += 1,
            ')' => self.depth = self.depth.saturating_sub(1),
            letter if letter.is_ascii_alphabetic() && !self.follows_word() => {
                let word = word_of(rest);
                self.count(word, &rest[word.len()..]);
                width = word.len();
            }
            _ => {}
        }
        self.at += width;
    }

    /// Keeps track of function bodies that are written as statements.
    fn count(&mut self, word: &str, after: &str) {
        let is = |text: &str| word.eq_ignore_ascii_case(text);
        let is_body = is("begin") && word_of(after.trim_start()).eq_ignore_ascii_case("atomic");
        if is_body || (self.atomic > 0 && is("case")) {
            self.atomic += 1;
        } else if self.atomic > 0 && is("end") {
            self.atomic -= 1;
        }
    }

    fn follows_word(&self) -> bool {
        let before = self.sql[..self.at].chars().next_back();
        before.is_some_and(|character| character.is_alphanumeric() || character == '_')
    }

    fn follows_e(&self) -> bool {
        let mut before = self.sql[..self.at].chars().rev();
        matches!(before.next(), Some('e' | 'E'))
            && !before
                .next()
                .is_some_and(|character| character.is_alphanumeric() || character == '_')
    }
}

fn word_of(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_alphanumeric() && character != '_');
    &text[..end.unwrap_or(text.len())]
}

/// `$tag$` at the start of `text`.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = text[1..].find('$')? + 2;
    let name = &text[1..end - 1];
    let is_name = name
        .chars()
        .all(|character| character.is_alphanumeric() || character == '_')
        && !name.starts_with(|character: char| character.is_ascii_digit());
    is_name.then_some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_that_are_code() {
        let cases: &[(&str, &[&str])] = &[
            ("select 1; select 2", &["select 1", "select 2"]),
            ("select ';'; select \";\"", &["select ';'", "select \";\""]),
            (
                "select 'it''s;'; select 2",
                &["select 'it''s;'", "select 2"],
            ),
            (r"select e'\';'; select 2", &[r"select e'\';'", "select 2"]),
            (
                "-- a;b\nselect 1; /* ; /* ; */ ; */ select 2",
                &["-- a;b\nselect 1", "/* ; /* ; */ ; */ select 2"],
            ),
            (
                "do $$ begin; end $$; select 1",
                &["do $$ begin; end $$", "select 1"],
            ),
            (
                "do $a$ $$;$$ ; $a$; select 1",
                &["do $a$ $$;$$ ; $a$", "select 1"],
            ),
            ("select $1; select 2", &["select $1", "select 2"]),
            (
                "create rule r as on insert to t do (select 1; select 2); select 3",
                &[
                    "create rule r as on insert to t do (select 1; select 2)",
                    "select 3",
                ],
            ),
            (
                "create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3",
                &[
                    "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
                    "select 3",
                ],
            ),
            ("begin; select 1; end;", &["begin", "select 1", "end"]),
            ("; ;\n-- only a comment\n", &[]),
            ("select 'ä;ö'; select 2", &["select 'ä;ö'", "select 2"]),
        ];
        for (sql, expected) in cases {
            assert_eq!(split(sql), *expected, "{sql}");
        }
    }

    #[test]
    fn unfinished_text_is_one_statement() {
        assert_eq!(split("select 'open; select 1"), ["select 'open; select 1"]);
        assert_eq!(split("select $a$ open; "), ["select $a$ open;"]);
    }
}
