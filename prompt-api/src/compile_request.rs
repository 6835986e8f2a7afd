//! What clients send to compile, and what they get.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::compile::{
    Compiled, Lint, OUTPUT_LIMIT, Options, SystemVariables, Value, Variables, compile,
};
use crate::error::Error;
use crate::prompts::TEMPLATE_LIMIT;

/// Most variables of one compile.
const VARIABLES_LIMIT: usize = 200;
/// Longest value of a variable as text, bytes.
const VALUE_LIMIT: usize = 256 * 1024;

/// A checked request.
#[derive(Debug)]
pub(crate) struct CompileRequest {
    /// The pasted text, if there is one.
    pub(crate) template: Option<String>,
    pub(crate) variables: Variables,
    pub(crate) version: Option<i32>,
    pub(crate) repo: Option<String>,
    strict: bool,
    timezone: Option<String>,
    now: Option<Timestamp>,
}

/// The compiled text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompiledPrompt {
    /// `null` for a pasted template.
    pub key: Option<String>,
    /// `null` for a pasted template.
    pub version: Option<i32>,
    pub compiled_template: String,
    pub metadata: CompileMetadata,
    pub system_variables: SystemVariables,
}

/// What there is to say about a compiled text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompileMetadata {
    /// Variables without a value, in order of first use; they stay in the text as written.
    pub missing: Vec<String>,
    /// Values the template does not use, sorted.
    pub unused: Vec<String>,
    pub warnings: Vec<Lint>,
    /// SHA-256 of the template in lower-case hexadecimal.
    pub content_hash: String,
}

impl CompileRequest {
    /// Reads a body for a stored prompt: without `variables` the object is the variables.
    pub(crate) fn for_prompt(mut members: Variables) -> Result<Self, Error> {
        match members.take("variables") {
            None => Self::with(members, Variables::default()),
            Some(variables) => Self::with(object(variables)?, members),
        }
    }

    /// Reads a body that holds the template itself.
    pub(crate) fn for_text(mut members: Variables) -> Result<Self, Error> {
        let variables = members
            .take("variables")
            .map_or(Ok(Variables::default()), object)?;
        let template = text(&mut members, "template")?;
        let template = template.ok_or_else(|| Error::field("template", "is required"))?;
        if template.len() > TEMPLATE_LIMIT {
            return Err(Error::TooLarge(
                "template must have at most 256 KiB".to_owned(),
            ));
        }
        if template.contains('\0') {
            return Err(Error::field("template", "must not contain NUL characters"));
        }
        Ok(Self {
            template: Some(template),
            ..Self::with(variables, members)?
        })
    }

    fn with(variables: Variables, mut options: Variables) -> Result<Self, Error> {
        check_size(&variables)?;
        Ok(Self {
            template: None,
            variables,
            version: version(&mut options)?,
            repo: text(&mut options, "repo")?,
            strict: strict(&mut options)?,
            timezone: text(&mut options, "timezone")?,
            now: now(&mut options)?,
        })
    }

    /// Compiles; `clock` is what time it is unless the request says otherwise.
    pub(crate) fn compile(&self, template: &str, clock: Timestamp) -> Result<Compiled, Error> {
        let now = self.now.unwrap_or(clock);
        let options = Options {
            now,
            timezone: self.timezone.as_deref(),
            strict: self.strict,
        };
        Ok(compile(template, &self.variables, &options)?)
    }
}

impl CompiledPrompt {
    pub(crate) fn new(compiled: Compiled, content_hash: String) -> Self {
        let Compiled {
            output,
            missing,
            unused,
            warnings,
            system,
        } = compiled;
        Self {
            key: None,
            version: None,
            compiled_template: output,
            metadata: CompileMetadata {
                missing,
                unused,
                warnings,
                content_hash,
            },
            system_variables: system,
        }
    }
}

fn check_size(variables: &Variables) -> Result<(), Error> {
    if variables.len() > VARIABLES_LIMIT {
        return Err(Error::TooLarge(format!(
            "at most {VARIABLES_LIMIT} variables"
        )));
    }
    let long = variables.iter().find(|(_, value)| match value {
        Value::Text(text) => text.len() > VALUE_LIMIT,
        Value::List(_) | Value::Object(_) => {
            value.to_text().is_some_and(|text| text.len() > VALUE_LIMIT)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    });
    match long {
        None => Ok(()),
        Some(_) => Err(Error::TooLarge(
            "a value must have at most 256 KiB".to_owned(),
        )),
    }
}

fn object(value: Value) -> Result<Variables, Error> {
    match value {
        Value::Object(members) => Ok(Variables::new(members)),
        Value::Null => Ok(Variables::default()),
        _ => Err(Error::field(
            "variables",
            "must be an object of values by name",
        )),
    }
}

fn text(options: &mut Variables, name: &'static str) -> Result<Option<String>, Error> {
    match options.take(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(_) => Err(Error::field(name, "must be a string")),
    }
}

fn strict(options: &mut Variables) -> Result<bool, Error> {
    match options.take("strict") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(strict)) => Ok(strict),
        Some(_) => Err(Error::field("strict", "must be true or false")),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked first"
)]
fn version(options: &mut Variables) -> Result<Option<i32>, Error> {
    match options.take("version") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) if number.fract() == 0.0 && number.abs() <= 2e9 => {
            Ok(Some(number as i32))
        }
        Some(_) => Err(Error::field("version", "must be a whole number")),
    }
}

fn now(options: &mut Variables) -> Result<Option<Timestamp>, Error> {
    let Some(text) = text(options, "now")? else {
        return Ok(None);
    };
    let refused = || Error::field("now", "must be an RFC 3339 time in the years 1 to 9999");
    let now: Timestamp = text.parse().map_err(|_| refused())?;
    // A day of margin on both sides, so that the year fits in any time zone.
    let years = -62_135_510_400..253_402_214_400;
    if years.contains(&now.as_second()) {
        Ok(Some(now))
    } else {
        Err(refused())
    }
}

const _: () = assert!(
    TEMPLATE_LIMIT <= OUTPUT_LIMIT,
    "every template fits into an output"
);
