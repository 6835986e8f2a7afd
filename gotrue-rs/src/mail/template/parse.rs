//! Builds the tree of a template from its tokens.

use super::TemplateError;
use super::escape::Escaper;
use super::functions;
use super::lex::{Kind, Piece, Token};
use super::value::Value;

/// One part of a template.
#[derive(Debug)]
pub(super) enum Node {
    Text {
        line: usize,
        text: String,
    },
    /// `{{ pipeline }}`; `escapers` is filled in by `context`.
    Action {
        line: usize,
        pipeline: Pipeline,
        escapers: Vec<Escaper>,
    },
    If(Block),
    With(Block),
    Range(Block),
    Break {
        line: usize,
    },
    Continue {
        line: usize,
    },
}

/// A control structure: `{{ if pipeline }}body{{ else }}otherwise{{ end }}`.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) pipeline: Pipeline,
    pub(super) body: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

/// `$x := command | command`.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    pub(super) variables: Vec<String>,
    /// `=` instead of `:=`.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
}

/// A function with its arguments, or a lone operand.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) operands: Vec<Operand>,
}

/// `base.Field.Field`.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) base: Base,
    pub(super) fields: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Base {
    Dot,
    Nil,
    Variable(String),
    Function(String),
    Literal(Value),
    Pipeline(Pipeline),
}

/// How a list of nodes ended.
enum Ending {
    Source,
    End,
    Else(Vec<Token>, usize),
}

/// The tree for the pieces of a whole template.
pub(super) fn parse(pieces: Vec<Piece>) -> Result<Vec<Node>, TemplateError> {
    let mut parser = Parser {
        pieces: pieces.into_iter(),
        variables: vec![String::new()],
        loops: 0,
        line: 1,
    };
    match parser.list()? {
        (nodes, Ending::Source) => Ok(nodes),
        (_, Ending::End) => Err(TemplateError::new(parser.line, "unexpected {{end}}")),
        (_, Ending::Else(_, line)) => Err(TemplateError::new(line, "unexpected {{else}}")),
    }
}

struct Parser {
    pieces: std::vec::IntoIter<Piece>,
    /// Names in scope; an undeclared one is refused here, not when a mail is written.
    variables: Vec<String>,
    loops: usize,
    line: usize,
}

impl Parser {
    fn list(&mut self) -> Result<(Vec<Node>, Ending), TemplateError> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.next() {
            let (line, mut tokens) = match piece {
                Piece::Text { line, text } => {
                    nodes.push(Node::Text { line, text });
                    continue;
                }
                Piece::Action { line, tokens } => (line, tokens),
            };
            self.line = line;
            let keyword = match tokens.first().map(|token| &token.kind) {
                Some(Kind::Word(word)) => word.clone(),
                _ => String::new(),
            };
            match keyword.as_str() {
                "end" if tokens.len() == 1 => return Ok((nodes, Ending::End)),
                "else" => {
                    tokens.remove(0);
                    return Ok((nodes, Ending::Else(tokens, line)));
                }
                _ => nodes.push(self.node(&keyword, tokens, line)?),
            }
        }
        Ok((nodes, Ending::Source))
    }

    fn node(
        &mut self,
        keyword: &str,
        mut tokens: Vec<Token>,
        line: usize,
    ) -> Result<Node, TemplateError> {
        match keyword {
            "if" | "with" | "range" => {
                tokens.remove(0);
                self.block(keyword, tokens, line)
            }
            "break" | "continue" if tokens.len() == 1 => {
                if self.loops == 0 {
                    return Err(TemplateError::new(
                        line,
                        format!("{{{{{keyword}}}}} outside {{{{range}}}}"),
                    ));
                }
                Ok(if keyword == "break" {
                    Node::Break { line }
                } else {
                    Node::Continue { line }
                })
            }
            "define" | "template" | "block" => Err(TemplateError::new(
                line,
                format!("{{{{{keyword}}}}} is not supported in mail templates"),
            )),
            _ => {
                let pipeline = self.pipeline(tokens, line, false)?;
                Ok(Node::Action {
                    line,
                    pipeline,
                    escapers: Vec::new(),
                })
            }
        }
    }

    fn block(
        &mut self,
        keyword: &str,
        tokens: Vec<Token>,
        line: usize,
    ) -> Result<Node, TemplateError> {
        let scope = self.variables.len();
        let pipeline = self.pipeline(tokens, line, keyword == "range")?;
        self.loops += usize::from(keyword == "range");
        let (body, ending) = self.list()?;
        self.loops -= usize::from(keyword == "range");
        let otherwise = self.otherwise(keyword, ending, line)?;
        self.variables.truncate(scope);
        let block = Block {
            line,
            pipeline,
            body,
            otherwise,
        };
        Ok(match keyword {
            "if" => Node::If(block),
            "with" => Node::With(block),
            _ => Node::Range(block),
        })
    }

    fn otherwise(
        &mut self,
        keyword: &str,
        ending: Ending,
        line: usize,
    ) -> Result<Vec<Node>, TemplateError> {
        let (mut tokens, line) = match ending {
            Ending::End => return Ok(Vec::new()),
            Ending::Source => {
                return Err(TemplateError::new(
                    line,
                    format!("unclosed {{{{{keyword}}}}}"),
                ));
            }
            Ending::Else(tokens, line) => (tokens, line),
        };
        if tokens.is_empty() {
            return match self.list()? {
                (nodes, Ending::End) => Ok(nodes),
                _ => Err(TemplateError::new(line, "expected end after else")),
            };
        }
        // `{{ else if }}` is an `{{ if }}` in the else branch that shares its `{{ end }}`.
        match tokens.remove(0).kind {
            Kind::Word(word) if word == keyword && keyword != "range" => {
                Ok(vec![self.block(keyword, tokens, line)?])
            }
            _ => Err(TemplateError::new(line, "unexpected text after {{else")),
        }
    }

    fn pipeline(
        &mut self,
        tokens: Vec<Token>,
        line: usize,
        in_range: bool,
    ) -> Result<Pipeline, TemplateError> {
        let mut reader = Reader {
            tokens: tokens.into_iter().peekable(),
            line,
        };
        let (variables, assigns) = reader.declarations(in_range)?;
        if assigns {
            self.check_known(&variables, line)?;
        }
        let commands = self.commands(&mut reader, false)?;
        if !assigns {
            self.variables.extend(variables.iter().cloned());
        }
        Ok(Pipeline {
            variables,
            assigns,
            commands,
        })
    }

    fn commands(
        &mut self,
        reader: &mut Reader,
        nested: bool,
    ) -> Result<Vec<Command>, TemplateError> {
        let mut commands = Vec::new();
        loop {
            let mut operands = Vec::new();
            while let Some(operand) = self.operand(reader, operands.is_empty())? {
                operands.push(operand);
            }
            if operands.is_empty() {
                return Err(reader.error("missing value for command"));
            }
            commands.push(Command { operands });
            match reader.tokens.next().map(|token| token.kind) {
                Some(Kind::Pipe) => {}
                None if !nested => break,
                Some(Kind::Close) if nested => break,
                None => return Err(reader.error("unclosed left paren")),
                Some(kind) => return Err(reader.error(format!("unexpected {kind:?}"))),
            }
        }
        check_pipe(&commands).map_err(|reason| reader.error(reason))?;
        Ok(commands)
    }

    fn operand(
        &mut self,
        reader: &mut Reader,
        first: bool,
    ) -> Result<Option<Operand>, TemplateError> {
        let mut fields = Vec::new();
        let Some(token) = reader
            .tokens
            .next_if(|token| !matches!(token.kind, Kind::Pipe | Kind::Close))
        else {
            return Ok(None);
        };
        if !first && !token.spaced {
            return Err(reader.error("expected space between operands"));
        }
        let base = match token.kind {
            Kind::Dot => Base::Dot,
            Kind::Nil => Base::Nil,
            Kind::Literal(value) => Base::Literal(value),
            Kind::Field(name) => {
                fields.push(name);
                Base::Dot
            }
            Kind::Variable(name) => {
                self.check_known(std::slice::from_ref(&name), reader.line)?;
                Base::Variable(name)
            }
            Kind::Word(name) if functions::exists(&name) => Base::Function(name),
            Kind::Word(name) => return Err(reader.error(format!("function {name:?} not defined"))),
            Kind::Open => {
                let commands = self.commands(reader, true)?;
                Base::Pipeline(Pipeline {
                    commands,
                    ..Pipeline::default()
                })
            }
            kind => return Err(reader.error(format!("unexpected {kind:?} in operand"))),
        };
        while let Some(token) = reader
            .tokens
            .next_if(|token| !token.spaced && matches!(token.kind, Kind::Field(_)))
        {
            if let Kind::Field(name) = token.kind {
                fields.push(name);
            }
        }
        if !fields.is_empty() && matches!(base, Base::Literal(_) | Base::Nil | Base::Function(_)) {
            return Err(reader.error("unexpected . after term"));
        }
        Ok(Some(Operand { base, fields }))
    }

    fn check_known(&self, names: &[String], line: usize) -> Result<(), TemplateError> {
        match names.iter().find(|name| !self.variables.contains(name)) {
            Some(name) => Err(TemplateError::new(
                line,
                format!("undefined variable \"${name}\""),
            )),
            None => Ok(()),
        }
    }
}

/// Only functions take a piped value, and a nil is no command.
fn check_pipe(commands: &[Command]) -> Result<(), String> {
    for (index, command) in commands.iter().enumerate() {
        match &command.operands[0].base {
            Base::Function(_) => {}
            Base::Nil => return Err("nil is not a command".to_owned()),
            Base::Literal(_) | Base::Dot | Base::Variable(_) | Base::Pipeline(_) => {
                if index > 0 || command.operands.len() > 1 {
                    return Err("can't give argument to non-function".to_owned());
                }
            }
        }
    }
    Ok(())
}

struct Reader {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    line: usize,
}

impl Reader {
    /// `$a :=`, `$a =` and, in `{{ range }}`, `$a, $b :=` at the start of a pipeline.
    fn declarations(&mut self, in_range: bool) -> Result<(Vec<String>, bool), TemplateError> {
        let kinds: Vec<Kind> = self
            .tokens
            .clone()
            .take(4)
            .map(|token| token.kind)
            .collect();
        let (names, assigns, used) = match kinds.as_slice() {
            [Kind::Variable(a), Kind::Declare, ..] => (vec![a.clone()], false, 2),
            [Kind::Variable(a), Kind::Assign, ..] => (vec![a.clone()], true, 2),
            [Kind::Variable(a), Kind::Comma, Kind::Variable(b), sign] if in_range => {
                let assigns = match sign {
                    Kind::Declare => false,
                    Kind::Assign => true,
                    _ => return Err(self.error("range can only initialize variables")),
                };
                (vec![a.clone(), b.clone()], assigns, 4)
            }
            _ => (Vec::new(), false, 0),
        };
        for _ in 0..used {
            self.tokens.next();
        }
        Ok((names, assigns))
    }

    fn error(&self, reason: impl Into<String>) -> TemplateError {
        TemplateError::new(self.line, reason)
    }
}
