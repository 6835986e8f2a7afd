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

/// The positions at which `parts` can end when they start at one of `starts`, in order.
///
/// All starts are followed at once, so that the work grows with the length of pattern and text
/// and never with the number of ways to match.
fn ends(parts: &[Part], text: &[char], starts: Vec<usize>) -> Vec<usize> {
    parts
        .iter()
        .fold(starts, |starts, part| step(part, text, &starts))
}

fn step(part: &Part, text: &[char], starts: &[usize]) -> Vec<usize> {
    let one = |fits: &dyn Fn(char) -> bool| {
        let fitting = starts
            .iter()
            .filter(|&&at| text.get(at).is_some_and(|&c| fits(c)));
        fitting.map(|at| at + 1).collect()
    };
    match part {
        Part::Literal(literal) => one(&|c| c == *literal),
        Part::One => one(&|c| !is_separator(c)),
        Part::Class { negated, set } => one(&|c| set.contains(c) != *negated),
        Part::Anything => starts
            .first()
            .map_or_else(Vec::new, |&first| (first..=text.len()).collect()),
        Part::Many => runs(text, starts),
        Part::Either(branches) => {
            let mut positions: Vec<usize> = branches
                .iter()
                .flat_map(|branch| ends(branch, text, starts.to_vec()))
                .collect();
            positions.sort_unstable();
            positions.dedup();
            positions
        }
    }
}

/// From each start up to the next separator; a start inside a run adds nothing to it.
fn runs(text: &[char], starts: &[usize]) -> Vec<usize> {
    let mut positions: Vec<usize> = Vec::new();
    for &start in starts {
        if positions.last().is_some_and(|&last| start <= last) {
            continue;
        }
        let length = text[start..]
            .iter()
            .take_while(|&&c| !is_separator(c))
            .count();
        positions.extend(start..=start + length);
    }
    positions
}

impl Set {
    fn contains(&self, c: char) -> bool {
        match self {
            Self::List(list) => list.contains(&c),
            Self::Range(low, high) => (*low..=*high).contains(&c),
        }
    }
}
