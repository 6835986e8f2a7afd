//! Follows the HTML of a template and decides how each action must be escaped where it stands.
//!
//! As upstream's engine does, the walk also drops HTML comments and comments in style sheets
//! from the text, and escapes a `<` that opens nothing. Values inside scripts, event handlers,
//! `srcset` and strings of style sheets are refused: no mail client runs the former, and a mail
//! template that needs the latter has not been seen.

use super::TemplateError;
use super::css::Css;
use super::escape::Escaper;
use super::html::{Context, Delimiter, START, State, UrlPart, follow, join, nudge};
use super::parse::{Base, Block, Node, Pipeline};

/// Fills in the escapers of every action and edits the text.
pub(super) fn annotate(nodes: &mut [Node]) -> Result<(), TemplateError> {
    let mut walk = Walk { loops: Vec::new() };
    let end = walk.list(nodes, START)?;
    if matches!(end.state, State::Text | State::Dead) {
        return Ok(());
    }
    let line = nodes.iter().map(last_line).max().unwrap_or(1);
    Err(TemplateError::new(
        line,
        format!("ends in a non-text context: {:?}", end.state),
    ))
}

fn last_line(node: &Node) -> usize {
    match node {
        Node::Text { line, .. }
        | Node::Action { line, .. }
        | Node::Break { line }
        | Node::Continue { line } => *line,
        Node::If(block) | Node::With(block) | Node::Range(block) => block.line,
    }
}

struct Walk {
    /// The context at the start of each enclosing `{{ range }}`.
    loops: Vec<Context>,
}

impl Walk {
    fn list(&mut self, nodes: &mut [Node], mut context: Context) -> Result<Context, TemplateError> {
        for node in nodes {
            context = match node {
                Node::Text { line, text } => {
                    let mut out = String::with_capacity(text.len());
                    let next = follow(context, text, &mut out)
                        .map_err(|reason| TemplateError::new(*line, reason))?;
                    *text = out;
                    next
                }
                Node::Action {
                    line,
                    pipeline,
                    escapers,
                } => {
                    let (next, found) = action(context, pipeline)
                        .map_err(|reason| TemplateError::new(*line, reason))?;
                    *escapers = found;
                    next
                }
                Node::If(block) | Node::With(block) => self.branches(block, context, false)?,
                Node::Range(block) => self.branches(block, context, true)?,
                Node::Break { line } | Node::Continue { line } => {
                    let start = self.loops.last().copied().unwrap_or(START);
                    join(start, context).map_err(|reason| TemplateError::new(*line, reason))?;
                    Context {
                        state: State::Dead,
                        ..context
                    }
                }
            };
        }
        Ok(context)
    }

    fn branches(
        &mut self,
        block: &mut Block,
        context: Context,
        repeats: bool,
    ) -> Result<Context, TemplateError> {
        let failed = |reason: String| TemplateError::new(block.line, reason);
        if repeats {
            self.loops.push(context);
        }
        let mut body = self.list(&mut block.body, context)?;
        if repeats {
            self.loops.pop();
            body = join(body, context).map_err(failed)?;
        }
        let otherwise = self.list(&mut block.otherwise, context)?;
        join(body, otherwise).map_err(failed)
    }
}

fn action(context: Context, pipeline: &mut Pipeline) -> Result<(Context, Vec<Escaper>), String> {
    if !pipeline.variables.is_empty() {
        return Ok((context, Vec::new()));
    }
    let context = nudge(context);
    let mut escapers = match context.state {
        State::Text | State::Rcdata => vec![Escaper::Html],
        State::Comment | State::Css(Css::Comment) => vec![Escaper::Omit],
        State::AttributeName => vec![Escaper::AttributeName],
        State::Url => match context.part {
            UrlPart::Start => vec![Escaper::UrlScheme, Escaper::UrlPath],
            UrlPart::Path => vec![Escaper::UrlPath],
            UrlPart::Query => vec![Escaper::UrlValue],
            UrlPart::Unknown => {
                return Err("appears in an ambiguous context within a URL".to_owned());
            }
        },
        State::Css(Css::Plain) => vec![Escaper::Css],
        State::Css(Css::Quoted(_)) => {
            return Err("values inside strings of a style sheet are not supported".to_owned());
        }
        State::Closed => {
            return Err("values inside scripts and srcset are not supported".to_owned());
        }
        // The first three are left by the nudge.
        State::Tag | State::AfterName | State::BeforeValue | State::Value | State::Dead => {
            Vec::new()
        }
    };
    match context.delimiter {
        Delimiter::None => {}
        Delimiter::Double | Delimiter::Single => escapers.push(Escaper::Html),
        Delimiter::Space => escapers.push(Escaper::Unquoted),
    }
    own_escaper(pipeline, &mut escapers, context)?;
    Ok((context, escapers))
}

/// A template's own `| html` or `| urlquery` replaces the equivalent step instead of adding one.
fn own_escaper(
    pipeline: &mut Pipeline,
    escapers: &mut [Escaper],
    context: Context,
) -> Result<(), String> {
    let last = pipeline.commands.len() - 1;
    for (index, command) in pipeline.commands.iter().enumerate() {
        let Base::Function(name) = &command.operands[0].base else {
            continue;
        };
        let unquoted = name == "html" && context.delimiter == Delimiter::Space;
        if matches!(name.as_str(), "html" | "urlquery") && (index < last || unquoted) {
            return Err(format!(
                "predefined escaper {name:?} disallowed in template"
            ));
        }
    }
    let Base::Function(name) = &pipeline.commands[last].operands[0].base else {
        return Ok(());
    };
    let (own, equivalent): (_, &[Escaper]) = match name.as_str() {
        "html" => (Escaper::GoHtml, &[Escaper::Html]),
        "urlquery" => (Escaper::GoQuery, &[Escaper::UrlPath, Escaper::UrlValue]),
        _ => return Ok(()),
    };
    let mut replaced = false;
    for escaper in escapers
        .iter_mut()
        .filter(|escaper| equivalent.contains(escaper))
    {
        *escaper = own;
        replaced = true;
    }
    if replaced {
        let command = &mut pipeline.commands[last];
        if last > 0 && command.operands.len() == 1 {
            pipeline.commands.pop();
        } else if last == 0 && command.operands.len() == 2 {
            command.operands.remove(0);
        }
    }
    Ok(())
}
