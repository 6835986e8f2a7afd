//! The patterns of `GOTRUE_URI_ALLOW_LIST`.
//!
//! Upstream uses gobwas/glob with `.` and `/` as separators. No Rust library has these
//! semantics: `globset` knows one separator and treats `**` as a whole path component, `wax`
//! takes URLs apart at `/` only. The grammar is small, so it is written out here; the table in
//! the tests was produced by the original.

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `**`
    Anything,
    /// `[abc]`, `[a-z]`, negated by `!`.
    Class {
        negated: bool,
        set: Set,
    },
    /// `{a,b}`
    Either(Vec<Vec<Part>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Set {
    List(Vec<char>),
    Range(char, char),
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | '/')
}

impl Glob {
    /// Reads a pattern; the error says what is wrong with it.
    pub(crate) fn parse(pattern: &str) -> Result<Self, String> {
        let chars: Vec<char> = pattern.chars().collect();
        let mut parser = Parser {
            chars: &chars,
            at: 0,
        };
        let parts = parser.sequence(0)?;
        Ok(Self { parts })
    }

    /// Whether the whole text fits the pattern.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        ends(&self.parts, &chars, vec![0]).contains(&chars.len())
    }
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += usize::from(c.is_some());
        c
    }

    /// Parts up to the end, or inside braces up to `,` or `}`, which are left to the caller.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Part>, String> {
        let mut parts = Vec::new();
        while let Some(c) = self.next() {
            parts.push(match c {
                ',' | '}' if depth > 0 => {
                    self.at -= 1;
                    return Ok(parts);
                }
                '*' if self.chars.get(self.at) == Some(&'*') => {
                    self.at += 1;
                    Part::Anything
                }
                '*' => Part::Many,
                '?' => Part::One,
                '[' => self.class()?,
                '{' => self.alternatives(depth + 1)?,
                '\\' => match self.next() {
                    Some(escaped) => Part::Literal(escaped),
                    None => break,
                },
                c => Part::Literal(c),
            });
        }
        Ok(parts)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Part, String> {
        let mut branches = Vec::new();
        loop {
            branches.push(self.sequence(depth)?);
            match self.next() {
                Some(',') => {}
                // The end of the pattern closes an open brace, too.
                Some(_) | None => return Ok(Part::Either(branches)),
            }
        }
    }

    fn class(&mut self) -> Result<Part, String> {
        let negated = self.chars.get(self.at) == Some(&'!');
        self.at += usize::from(negated);
        let mut list = Vec::new();
        loop {
            match self.next() {
                None => return Err("unclosed [".to_owned()),
                Some(']') if !list.is_empty() => {
                    return Ok(Part::Class {
                        negated,
                        set: Set::List(list),
                    });
                }
                Some(']') => return Err("empty []".to_owned()),
                Some('\\') => list.extend(self.next()),
                // A range must be alone in its brackets.
                Some(low) if list.is_empty() && self.chars.get(self.at) == Some(&'-') => {
                    self.at += 1;
                    return self.range(negated, low);
                }
                Some(c) => list.push(c),
            }
        }
    }

    fn range(&mut self, negated: bool, low: char) -> Result<Part, String> {
        let high = self.next().ok_or("unclosed [")?;
        if self.next() != Some(']') {
            return Err("expected ] after a range".to_owned());
        }
        if high < low {
            return Err(format!("[{low}-{high}] is the wrong way round"));
        }
        Ok(Part::Class {
            negated,
            set: Set::Range(low, high),
        })
    }
}

/// The positions at which `parts` can end when they start at one of `starts`.
fn ends(parts: &[Part], text: &[char], starts: Vec<usize>) -> Vec<usize> {
    let mut positions = starts;
    for part in parts {
        let mut next: Vec<usize> = positions
            .iter()
            .flat_map(|&at| ends_of_part(part, text, at))
            .collect();
        next.sort_unstable();
        next.dedup();
        positions = next;
    }
    positions
}

fn ends_of_part(part: &Part, text: &[char], at: usize) -> Vec<usize> {
    let run = |allowed: &dyn Fn(char) -> bool| {
        let length = text[at..].iter().take_while(|&&c| allowed(c)).count();
        (at..=at + length).collect()
    };
    let one = |fits: bool| if fits { vec![at + 1] } else { Vec::new() };
    match part {
        Part::Anything => (at..=text.len()).collect(),
        Part::Many => run(&|c| !is_separator(c)),
        Part::Either(branches) => branches
            .iter()
            .flat_map(|branch| ends(branch, text, vec![at]))
            .collect(),
        Part::Literal(_) | Part::One | Part::Class { .. } => match text.get(at) {
            None => Vec::new(),
            Some(&c) => one(match part {
                Part::Literal(literal) => *literal == c,
                Part::Class { negated, set } => set.contains(c) != *negated,
                _ => !is_separator(c),
            }),
        },
    }
}

impl Set {
    fn contains(&self, c: char) -> bool {
        match self {
            Self::List(list) => list.contains(&c),
            Self::Range(low, high) => (*low..=*high).contains(&c),
        }
    }
}
