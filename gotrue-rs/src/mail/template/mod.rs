//! Mail templates: the part of Go's `html/template` that mail templates use.
//!
//! Projects bring their own templates (`{{ .ConfirmationURL }}`, `{{ if .Data.name }}`), so
//! subjects and bodies must mean exactly what they mean upstream, escaping included. The choice
//! of an engine of our own is recorded in `docs/decisions/`; upstream uses Go's standard library
//! (`internal/mailer/templatemailer`).
//!
//! A template passes through four stages: [`lex`] cuts the source into text and actions,
//! [`parse`] builds the tree, [`context`] walks the tree once and decides how each action has to
//! be escaped where it stands, [`eval`] runs it. Everything that is not supported is refused
//! before the first mail is written.

mod attribute;
mod context;
mod css;
mod escape;
mod eval;
mod format;
mod functions;
mod html;
mod lex;
mod parse;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use value::Value;

/// Why a template cannot be used or could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub(crate) struct TemplateError {
    line: usize,
    reason: String,
}

impl TemplateError {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
        }
    }
}

/// A checked template, ready to be rendered any number of times.
#[derive(Debug)]
pub(crate) struct Template {
    nodes: Vec<parse::Node>,
}

impl Template {
    /// Reads and checks a template.
    pub(crate) fn parse(source: &str) -> Result<Self, TemplateError> {
        let mut nodes = parse::parse(lex::split(source)?)?;
        context::annotate(&mut nodes)?;
        Ok(Self { nodes })
    }

    /// The template's text for `data`, every value escaped for the place it lands in.
    pub(crate) fn render(&self, data: &Value) -> Result<String, TemplateError> {
        eval::render(&self.nodes, data)
    }
}
