//! Runs a template.

use super::TemplateError;
use super::escape::{self, Escaper};
use super::functions;
use super::parse::{Base, Block, Command, Node, Operand, Pipeline};
use super::value::Value;

/// How a list of nodes ended.
enum Flow {
    Through,
    Break,
    Continue,
}

/// The text of `nodes` for `data`.
pub(super) fn render(nodes: &[Node], data: &Value) -> Result<String, TemplateError> {
    let mut run = Run {
        out: String::new(),
        variables: vec![(String::new(), data.clone())],
        line: 1,
    };
    run.list(nodes, data)
        .map_err(|reason| TemplateError::new(run.line, reason))?;
    Ok(run.out)
}

struct Run {
    out: String,
    /// The stack of variables; `$` is the first.
    variables: Vec<(String, Value)>,
    line: usize,
}

impl Run {
    fn list(&mut self, nodes: &[Node], dot: &Value) -> Result<Flow, String> {
        for node in nodes {
            let flow = match node {
                Node::Text { text, .. } => {
                    self.out.push_str(text);
                    Flow::Through
                }
                Node::Action {
                    line,
                    pipeline,
                    escapers,
                } => {
                    self.line = *line;
                    self.action(pipeline, escapers, dot)?;
                    Flow::Through
                }
                Node::If(block) => self.if_or_with(block, dot, false)?,
                Node::With(block) => self.if_or_with(block, dot, true)?,
                Node::Range(block) => self.range(block, dot)?,
                Node::Break { .. } => Flow::Break,
                Node::Continue { .. } => Flow::Continue,
            };
            if !matches!(flow, Flow::Through) {
                return Ok(flow);
            }
        }
        Ok(Flow::Through)
    }

    /// A declaration prints nothing.
    fn action(
        &mut self,
        pipeline: &Pipeline,
        escapers: &[Escaper],
        dot: &Value,
    ) -> Result<(), String> {
        let value = self.pipeline(pipeline, dot)?;
        if pipeline.variables.is_empty() {
            let text = escape::stringify(std::slice::from_ref(&value));
            self.out.push_str(&escape::apply(escapers, text));
        }
        Ok(())
    }

    fn if_or_with(&mut self, block: &Block, dot: &Value, with: bool) -> Result<Flow, String> {
        let scope = self.variables.len();
        self.line = block.line;
        let value = self.pipeline(&block.pipeline, dot)?;
        let flow = if value.is_true() {
            self.list(&block.body, if with { &value } else { dot })
        } else {
            self.list(&block.otherwise, dot)
        };
        self.variables.truncate(scope);
        flow
    }

    fn range(&mut self, block: &Block, dot: &Value) -> Result<Flow, String> {
        let scope = self.variables.len();
        self.line = block.line;
        let value = self.pipeline(&block.pipeline, dot)?;
        let items = items(value)?;
        if items.is_empty() {
            let flow = self.list(&block.otherwise, dot);
            self.variables.truncate(scope);
            return flow;
        }
        let declared = self.variables.len();
        for (key, item) in items {
            match block.pipeline.variables.as_slice() {
                [only] => self.set_range_variable(block, only, item.clone()),
                [index, element] => {
                    self.set_range_variable(block, index, key);
                    self.set_range_variable(block, element, item.clone());
                }
                _ => {}
            }
            let flow = self.list(&block.body, &item)?;
            self.variables.truncate(declared);
            match flow {
                Flow::Break => break,
                Flow::Through | Flow::Continue => {}
            }
        }
        self.variables.truncate(scope);
        Ok(Flow::Through)
    }

    fn set_range_variable(&mut self, block: &Block, name: &str, value: Value) {
        if block.pipeline.assigns {
            self.assign(name, value);
        } else {
            self.variables.push((name.to_owned(), value));
        }
    }

    fn assign(&mut self, name: &str, value: Value) {
        if let Some(entry) = self
            .variables
            .iter_mut()
            .rev()
            .find(|(known, _)| known == name)
        {
            entry.1 = value;
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, dot: &Value) -> Result<Value, String> {
        let mut piped = None;
        for command in &pipeline.commands {
            piped = Some(self.command(command, dot, piped)?);
        }
        let value = piped.unwrap_or(Value::Nil);
        if let [name] = pipeline.variables.as_slice() {
            if pipeline.assigns {
                self.assign(name, value.clone());
            } else {
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    fn command(
        &mut self,
        command: &Command,
        dot: &Value,
        piped: Option<Value>,
    ) -> Result<Value, String> {
        let [first, rest @ ..] = command.operands.as_slice() else {
            return Ok(Value::Nil);
        };
        let Base::Function(name) = &first.base else {
            return self.operand(first, dot);
        };
        if matches!(name.as_str(), "and" | "or") {
            return self.and_or(name, rest, dot, piped);
        }
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            arguments.push(self.operand(operand, dot)?);
        }
        arguments.extend(piped);
        functions::call(name, &arguments)
            .map_err(|reason| format!("error calling {name}: {reason}"))
    }

    /// The first argument that decides, or the last one; later ones are not evaluated.
    fn and_or(
        &mut self,
        name: &str,
        operands: &[Operand],
        dot: &Value,
        piped: Option<Value>,
    ) -> Result<Value, String> {
        let mut last = None;
        for operand in operands {
            let value = self.operand(operand, dot)?;
            if value.is_true() == (name == "or") {
                return Ok(value);
            }
            last = Some(value);
        }
        piped
            .or(last)
            .ok_or_else(|| format!("wrong number of args for {name}: want at least 1 got 0"))
    }

    fn operand(&mut self, operand: &Operand, dot: &Value) -> Result<Value, String> {
        let mut value = match &operand.base {
            Base::Dot => dot.clone(),
            Base::Nil => Value::Nil,
            Base::Literal(value) => value.clone(),
            Base::Variable(name) => self.variable(name),
            Base::Function(name) => functions::call(name, &[])?,
            Base::Pipeline(pipeline) => self.pipeline(pipeline, dot)?,
        };
        for field in &operand.fields {
            value = value.field(field)?;
        }
        Ok(value)
    }

    fn variable(&self, name: &str) -> Value {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map_or(Value::Nil, |(_, value)| value.clone())
    }
}

/// What `{{ range }}` walks over, with its keys.
fn items(value: Value) -> Result<Vec<(Value, Value)>, String> {
    match value {
        Value::Nil => Ok(Vec::new()),
        Value::List(items) => Ok((0..).map(Value::Int).zip(items).collect()),
        Value::Map(map) => Ok(map
            .into_iter()
            .map(|(key, value)| (Value::Text(key), value))
            .collect()),
        Value::Int(count) => Ok((0..count)
            .map(|number| (Value::Int(number), Value::Int(number)))
            .collect()),
        other => Err(format!("range can't iterate over {}", other.type_name())),
    }
}
