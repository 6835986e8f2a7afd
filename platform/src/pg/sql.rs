//! Text that may be sent to Postgres as a statement. Text from outside can become neither a [`Sql`]
//! nor, unquoted, a part of one: values go as parameters (`$1`, …), names as [`Ident`].

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;

use postgres_protocol::escape::{escape_identifier, escape_literal};

/// Longest name that Postgres keeps, bytes. It cuts a longer one, which may then be another's.
const LONGEST_NAME: usize = 63;

/// Why a name or a value cannot stand in a statement. The texts hold nothing of what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// Postgres stores no NUL.
    #[error("a name or value holds a NUL, which Postgres cannot store")]
    Nul,
    /// Names have 63 bytes at most.
    #[error("a name is longer than 63 bytes")]
    TooLong,
    /// Names have one byte at least.
    #[error("a name is empty")]
    Empty,
    /// Settings have words for names.
    #[error("this is not the name of a setting")]
    NoSetting,
    /// Postgres takes this name for the role that logged in.
    #[error("none is not the name of a role")]
    NoRole,
}

/// The text of one statement, of several with semicolons between, or of a part of one.
///
/// It is made of what stands in the program (`&'static str`), of [`Ident`]s, of parameters
/// ([`Sql::param`]) and, for statements that take no parameters, of quoted values
/// ([`Sql::literal`]). Everything that sends statements takes `impl Into<Sql>`, so a constant needs
/// no conversion:
///
/// ```
/// use platform::pg::{Ident, QuoteError, Sql};
/// # fn example(table: &str) -> Result<Sql, QuoteError> {
/// let mut sql = Sql::new("select id from ");
/// sql.push(Ident::quote(table)?);
/// sql.push(" where owner = ");
/// sql.push(Sql::param(1));
/// # Ok(sql)
/// # }
/// # assert_eq!(example("a\"b").unwrap().as_str(), "select id from \"a\"\"b\" where owner = $1");
/// ```
///
/// Text that came from somewhere does not compile, neither owned
///
/// ```compile_fail,E0277
/// let from_outside = String::from("select 1; drop table users");
/// let sql = platform::pg::Sql::from(from_outside);
/// ```
///
/// nor borrowed:
///
/// ```compile_fail,E0597
/// let sql = {
///     let from_outside = String::from("select 1; drop table users");
///     platform::pg::Sql::new(&from_outside)
/// };
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Sql(Cow<'static, str>);

impl Sql {
    /// What stands in the program.
    pub const fn new(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The parameter with this number; the first is 1.
    pub fn param(number: usize) -> Self {
        Self(Cow::Owned(format!("${number}")))
    }

    /// A number as a constant.
    pub fn number(number: i32) -> Self {
        Self(Cow::Owned(number.to_string()))
    }

    /// A value as a string constant, for the few statements that take no parameters.
    pub fn literal(value: &str) -> Result<Self, QuoteError> {
        if value.contains('\0') {
            return Err(QuoteError::Nul);
        }
        Ok(Self(Cow::Owned(escape_literal(value))))
    }

    /// `text` with `name` wherever `placeholder` stands in it.
    pub fn naming(text: &'static str, placeholder: &'static str, name: &Ident) -> Self {
        // In one pass over the program's own text: what a name holds is not looked at again.
        let parts: Vec<_> = text.split(placeholder).collect();
        Self(Cow::Owned(parts.join(&name.0)))
    }

    /// The statements of a file. Whoever can write it is the operator, who may run what they like;
    /// there is no such way for text that a program holds.
    pub fn read_file(path: &Path) -> io::Result<Self> {
        let mut text = std::fs::read_to_string(path)?;
        // The mark that editors of Windows put in front; psql leaves it out as well.
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(Self(Cow::Owned(text)))
    }

    /// The same text with other statements, or parts of some, in these places, which are byte ranges in
    /// their order.
    #[must_use]
    pub fn with_parts(&self, parts: impl IntoIterator<Item = (Range<usize>, Self)>) -> Self {
        let (mut text, mut at) = (String::new(), 0);
        for (place, part) in parts {
            text.push_str(&self.0[at..place.start]);
            text.push_str(&part.0);
            at = place.end;
        }
        text.push_str(&self.0[at..]);
        Self(Cow::Owned(text))
    }

    /// The parts in order, with `between` between them.
    pub fn join(parts: impl IntoIterator<Item = impl Into<Self>>, between: &'static str) -> Self {
        let mut joined = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                joined.push_str(between);
            }
            joined.push_str(&part.into().0);
        }
        Self(Cow::Owned(joined))
    }

    /// Adds to the end.
    pub fn push(&mut self, part: impl Into<Self>) -> &mut Self {
        self.0.to_mut().push_str(&part.into().0);
        self
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self::new(text)
    }
}

impl From<Ident> for Sql {
    fn from(name: Ident) -> Self {
        Self(Cow::Owned(name.0))
    }
}

impl From<&Ident> for Sql {
    fn from(name: &Ident) -> Self {
        name.clone().into()
    }
}

impl From<&Self> for Sql {
    fn from(sql: &Self) -> Self {
        sql.clone()
    }
}

impl fmt::Debug for Sql {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), out)
    }
}

/// A name (of a table, a column, a role, …) in double quotes: exactly this one, in this case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(String);

impl Ident {
    /// Quotes a name, wherever it comes from. Postgres would cut a name of more than 63 bytes.
    pub fn quote(name: &str) -> Result<Self, QuoteError> {
        if name.is_empty() {
            return Err(QuoteError::Empty);
        }
        if name.len() > LONGEST_NAME {
            return Err(QuoteError::TooLong);
        }
        if name.contains('\0') {
            return Err(QuoteError::Nul);
        }
        Ok(Self(escape_identifier(name)))
    }

    /// `self.name`: a table of this schema, a column of this table.
    #[must_use]
    pub fn dot(&self, name: &Self) -> Sql {
        Sql(Cow::Owned(format!("{}.{}", self.0, name.0)))
    }

    /// The name with its quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_postgres_would_change_are_refused() {
        let longest = "ä".repeat(31) + "x";
        assert!(Ident::quote(&longest).is_ok());
        assert_eq!(Ident::quote(&"ä".repeat(32)), Err(QuoteError::TooLong));
        assert_eq!(Ident::quote("a\0b"), Err(QuoteError::Nul));
        assert_eq!(Ident::quote(""), Err(QuoteError::Empty));
        assert_eq!(Sql::literal("a\0b"), Err(QuoteError::Nul));
    }

    #[test]
    fn a_name_is_put_where_the_text_says_and_is_not_looked_into() {
        let name = Ident::quote("{s}\"; --").unwrap();
        let sql = Sql::naming("select {s}.x from {s}", "{s}", &name);
        assert_eq!(sql.as_str(), r#"select "{s}""; --".x from "{s}""; --""#);
    }

    #[test]
    fn parts_take_the_place_of_others() {
        let text = Sql::new("select a; select b");
        let changed = text.with_parts([(7..8, Sql::number(1)), (17..18, Sql::number(2))]);
        assert_eq!(changed.as_str(), "select 1; select 2");
        assert_eq!(text.with_parts([]), text);
    }

    #[test]
    fn parts_are_joined_in_order() {
        let columns = ["a", "B c"].map(|name| Ident::quote(name).unwrap());
        let sql = Sql::join(&columns, ", ");
        assert_eq!(sql.as_str(), r#""a", "B c""#);
        assert_eq!(columns[0].dot(&columns[1]).as_str(), r#""a"."B c""#);
        assert_eq!(Sql::join(Vec::<Sql>::new(), ", ").as_str(), "");
    }
}
