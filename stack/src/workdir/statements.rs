//! Splitting a file into statements, for the record the CLI keeps of each
//! migration (`pkg/parser`). The file itself is run as it is.

use std::ops::Range;

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

/// A statement of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    /// Trimmed, without its semicolon.
    pub(super) text: &'a str,
    /// Where its first word stands in the file, in bytes.
    start: usize,
    /// The line on which its first word stands, counted from 1.
    pub(super) line: usize,
}

impl<'a> Statement<'a> {
    /// Its text without the comments before it.
    pub(super) fn code(&self) -> &'a str {
        code_of(self.text)
    }

    /// Where [its code](Self::code) stands in the file.
    pub(super) fn place(&self) -> Range<usize> {
        self.start..self.start + self.code().len()
    }

    /// Its first words in lower case, without the comments before them.
    pub(super) fn begins(&self, words: usize) -> String {
        let code = self.code().split_whitespace().take(words);
        let words: Vec<_> = code.map(str::to_ascii_lowercase).collect();
        words.join(" ")
    }

    /// Whether it ends the transaction that the file runs in.
    pub(super) fn ends_transaction(&self) -> bool {
        matches!(
            self.begins(1).as_str(),
            "commit" | "end" | "rollback" | "abort"
        ) && !self.begins(2).starts_with("rollback to")
    }

    /// Whether Postgres runs it outside transactions only.
    pub(super) fn runs_alone(&self) -> bool {
        let begins = self.begins(4);
        let words: Vec<_> = begins.split(' ').collect();
        matches!(
            words[..],
            ["vacuum", ..]
                | ["create" | "drop", "index", "concurrently", ..]
                | ["create", "unique", "index", "concurrently"]
                | ["reindex", _, "concurrently", ..]
        )
    }
}

/// The first line that Postgres cannot take as SQL though tools write it, and what to do.
pub(super) fn not_sql(sql: &str) -> Option<(usize, &'static str)> {
    if let Some((before, _)) = sql.split_once('\0') {
        let line = 1 + before.matches('\n').count();
        return Some((line, "there is a byte of value 0 in the text; remove it"));
    }
    split(sql).iter().find_map(|it| {
        let code = code_of(it.text);
        if code.starts_with('\\') {
            let reason = "what begins with \\ is for psql and no SQL; remove the line (pg_dump writes \
                          \\restrict and \\unrestrict, which nothing needs here)";
            return Some((it.line, reason));
        }
        let takes_rows =
            it.begins(1) == "copy" && code.to_ascii_lowercase().contains(" from stdin");
        let reason = "copy … from stdin takes rows from a client, and a file has none; dump them as \
                      statements (`pg_dump --inserts`, `supabase db dump --data-only`)";
        takes_rows.then_some((it.line, reason))
    })
}

/// The statements of `sql`, without what is empty or only a comment.
pub(super) fn split<'a>(sql: &'a str) -> Vec<Statement<'a>> {
    let mut statements: Vec<Statement<'_>> = Vec::new();
    let mut add = |found: Option<Statement<'a>>| {
        let Some(mut statement) = found else { return };
        // From the former one on: a dump has a hundred thousand of them.
        let (line, start) = statements.last().map_or((1, 0), |it| (it.line, it.start));
        statement.line = line + sql[start..statement.start].matches('\n').count();
        statements.push(statement);
    };
    let mut start = 0;
    let mut scanner = Scanner {
        sql,
        at: 0,
        inside: Inside::Nothing,
        depth: 0,
        atomic: 0,
    };
    while let Some(end) = scanner.next_end() {
        add(statement(sql, start, end));
        start = (end + 1).min(sql.len());
    }
    add(statement(sql, start, sql.len()));
    statements
}

/// What stands between two places, if it is more than comments. Its line is told by who knows the former
/// one's.
fn statement(sql: &str, start: usize, end: usize) -> Option<Statement<'_>> {
    let whole = &sql[start..end];
    let text = whole.trim();
    let code = code_of(text);
    let blank = whole.len() - whole.trim_start().len();
    let at = start + blank + (text.len() - code.len());
    (!code.is_empty()).then_some(Statement {
        text,
        start: at,
        line: 1,
    })
}

/// What follows the comments that a text begins with.
fn code_of(text: &str) -> &str {
    let mut scanner = Scanner {
        sql: text,
        at: 0,
        inside: Inside::Nothing,
        depth: 0,
        atomic: 0,
    };
    while let Some(character) = scanner.rest().chars().next() {
        let is_outside = matches!(scanner.inside, Inside::Nothing);
        let begins = ["--", "/*"].iter().any(|it| scanner.rest().starts_with(it));
        if is_outside && !begins && !character.is_whitespace() {
            break;
        }
        scanner.step(character);
    }
    &text[scanner.at..]
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
    fn a_dump_of_many_statements_is_split_once_through() {
        let sql = "insert into t\n  values (1, 'a;b');\n-- next\n".repeat(100_000);
        let statements = split(&sql);
        assert_eq!(statements.len(), 100_000);
        assert_eq!(statements[99_999].line, 299_998);
    }

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
            assert_eq!(texts(sql), *expected, "{sql}");
        }
    }

    fn texts(sql: &str) -> Vec<&str> {
        split(sql).iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn statements_have_the_line_of_their_first_word() {
        let sql = "\nselect 1;\n\n-- about\n/* the\n next */ select\n2; select 3;\nselect 4";
        let lines: Vec<_> = split(sql).iter().map(|it| it.line).collect();
        assert_eq!(lines, [2, 6, 7, 8]);
    }

    #[test]
    fn statements_say_what_they_do_to_transactions() {
        let said = |sql| (split(sql)[0].runs_alone(), split(sql)[0].ends_transaction());
        for sql in [
            "-- slow\ncreate index\n concurrently i on t (a)",
            "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i on t (a)",
            "drop index concurrently i",
            "reindex table concurrently t",
            "vacuum t",
        ] {
            assert_eq!(said(sql), (true, false), "{sql}");
        }
        for sql in ["commit", "END", "rollback", "/* x */ abort work"] {
            assert_eq!(said(sql), (false, true), "{sql}");
        }
        for sql in [
            "create index concurrently_i on t (a)",
            "rollback to savepoint a",
            "begin",
            "create table vacuumed ()",
        ] {
            assert_eq!(said(sql), (false, false), "{sql}");
        }
    }

    #[test]
    fn unfinished_text_is_one_statement() {
        assert_eq!(texts("select 'open; select 1"), ["select 'open; select 1"]);
        assert_eq!(texts("select $a$ open; "), ["select $a$ open;"]);
    }
}
