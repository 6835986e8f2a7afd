//! The template engine: fills `{name}` with values.
//!
//! No I/O happens here and no clock is read. The web preview and the SDKs implement the same rules,
//! held together by `vectors/compile.json`. Values are data: the template is read once, what a
//! value contains is never looked at again.

mod lints;
mod number;
mod system;
mod tokens;
mod value;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

pub use self::lints::Lint;
pub use self::system::{SystemVariables, is_system_variable};
pub use self::tokens::{Token, scan};
pub use self::value::{Value, Variables};

/// Longest compiled text, bytes.
pub const OUTPUT_LIMIT: usize = 1024 * 1024;

/// How to compile; the caller reads the clock.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The instant the system variables describe.
    pub now: Timestamp,
    /// IANA name; UTC when absent.
    pub timezone: Option<&'a str>,
    /// Refuse to compile while a variable has no value.
    pub strict: bool,
}

/// The compiled text and what there is to say about it.
#[derive(Debug)]
pub struct Compiled {
    /// The template with every value in its place.
    pub output: String,
    /// Names the template uses and nobody provided, in order of first use.
    pub missing: Vec<String>,
    /// Names that were provided and the template does not use, sorted.
    pub unused: Vec<String>,
    /// What its author may not have meant.
    pub warnings: Vec<Lint>,
    /// What the system variables stood for.
    pub system: SystemVariables,
}

/// Why a template does not compile.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CompileError {
    /// A strict compilation, and these have no value.
    #[error("Missing variables: {}", .0.join(", "))]
    MissingVariables(Vec<String>),
    /// The variable of this name has a value without a text form.
    #[error("The value of \"{0}\" is not a finite number")]
    InvalidValue(String),
    /// Nobody knows this time zone.
    #[error("Unknown time zone \"{0}\"")]
    UnknownTimezone(String),
    /// Values made it too long.
    #[error("The compiled text is longer than {OUTPUT_LIMIT} bytes")]
    OutputTooLong,
}

/// Compiles in one pass over the template.
pub fn compile(
    template: &str,
    variables: &Variables,
    options: &Options<'_>,
) -> Result<Compiled, CompileError> {
    let system = SystemVariables::at(options.now, options.timezone)
        .ok_or_else(|| CompileError::UnknownTimezone(options.timezone.unwrap_or("").to_owned()))?;
    let tokens = scan(template);
    let mut filling = Filling::new(variables, &system);
    let output = fill(template, &tokens, &mut filling)?;
    if options.strict && !filling.missing.is_empty() {
        return Err(CompileError::MissingVariables(owned(&filling.missing)));
    }
    let missing = owned(&filling.missing);
    let unused = unused(variables, &filling.used());
    let warnings = lints::find(template, &tokens, variables);
    Ok(Compiled {
        output,
        missing,
        unused,
        warnings,
        system,
    })
}

/// The values met so far, each written out once.
struct Filling<'a> {
    given: HashMap<&'a str, &'a Value>,
    system: &'a SystemVariables,
    texts: HashMap<&'a str, Option<String>>,
    missing: Vec<&'a str>,
}

impl<'a> Filling<'a> {
    fn new(variables: &'a Variables, system: &'a SystemVariables) -> Self {
        let given = variables.iter().collect();
        Self {
            given,
            system,
            texts: HashMap::new(),
            missing: Vec::new(),
        }
    }

    /// The text of a variable, `None` when nobody provided it.
    fn text(&mut self, name: &'a str) -> Result<Option<&str>, CompileError> {
        if !self.texts.contains_key(name) {
            let text = self.read(name)?;
            if text.is_none() {
                self.missing.push(name);
            }
            self.texts.insert(name, text);
        }
        Ok(self.texts.get(name).and_then(Option::as_deref))
    }

    fn read(&self, name: &str) -> Result<Option<String>, CompileError> {
        if let Some(text) = self.system.text(name) {
            return Ok(Some(text));
        }
        let Some(value) = self.given.get(name) else {
            return Ok(None);
        };
        match value.to_text() {
            Some(text) => Ok(Some(text)),
            None => Err(CompileError::InvalidValue(name.to_owned())),
        }
    }

    fn used(&self) -> HashSet<&str> {
        self.texts.keys().copied().collect()
    }
}

fn fill<'a>(
    template: &'a str,
    tokens: &[Token<'a>],
    filling: &mut Filling<'a>,
) -> Result<String, CompileError> {
    let mut output = String::with_capacity(template.len().min(OUTPUT_LIMIT));
    let mut at = 0;
    for token in tokens {
        push(
            &mut output,
            template.get(at..token.start).unwrap_or_default(),
        )?;
        let kept = token.depth / 2;
        push_braces(&mut output, '{', token.opening - token.depth + kept)?;
        if token.is_variable() {
            match filling.text(token.name)? {
                Some(text) => push(&mut output, text)?,
                None => push_placeholder(&mut output, token.inner)?,
            }
        } else {
            push(&mut output, token.inner)?;
        }
        push_braces(&mut output, '}', token.closing - token.depth + kept)?;
        at = token.end;
    }
    push(&mut output, template.get(at..).unwrap_or_default())?;
    Ok(output)
}

fn push_placeholder(output: &mut String, inner: &str) -> Result<(), CompileError> {
    push(output, "{")?;
    push(output, inner)?;
    push(output, "}")
}

/// Appends, unless the text would grow beyond the limit: a short template that repeats a long value
/// must not take the memory of the whole product.
fn push(output: &mut String, text: &str) -> Result<(), CompileError> {
    if output.len() + text.len() > OUTPUT_LIMIT {
        return Err(CompileError::OutputTooLong);
    }
    output.push_str(text);
    Ok(())
}

fn push_braces(output: &mut String, brace: char, count: usize) -> Result<(), CompileError> {
    if output.len() + count > OUTPUT_LIMIT {
        return Err(CompileError::OutputTooLong);
    }
    output.extend(std::iter::repeat_n(brace, count));
    Ok(())
}

fn unused(variables: &Variables, used: &HashSet<&str>) -> Vec<String> {
    let mut names: Vec<String> = variables
        .names()
        .filter(|name| is_system_variable(name) || !used.contains(name))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
