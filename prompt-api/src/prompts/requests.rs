//! What clients send to change prompts, and the checked form of it.

use platform::json;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::fields::{Problems, content_hash};
use crate::error::Error;

const NAME_LIMIT: usize = 120;
const DESCRIPTION_LIMIT: usize = 1000;
const METADATA_LIMIT: usize = 16 * 1024;

/// `POST /api/v1/prompts`
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewPrompt)]
pub(crate) struct PromptRequest {
    #[schema(required = true, nullable = false, max_length = 120)]
    name: Option<String>,
    /// `^[a-z0-9]+(-[a-z0-9]+)*$`; `new` is reserved.
    #[schema(required = true, nullable = false, max_length = 64)]
    key: Option<String>,
    #[schema(max_length = 1000)]
    description: Option<String>,
    /// At most 256 KiB; CRLF becomes LF.
    #[schema(required = true, nullable = false)]
    template: Option<String>,
    /// At most 20, each of at most 32 characters.
    tags: Option<Vec<String>>,
    /// `owner/slug`; your first organization's `default` otherwise.
    repo: Option<String>,
}

/// A prompt that may be stored.
#[derive(Debug)]
pub(crate) struct NewPrompt {
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) description: Option<String>,
    pub(crate) template: String,
    pub(crate) tags: Vec<String>,
    pub(crate) repo: Option<String>,
}

impl PromptRequest {
    pub(crate) fn check(self) -> Result<NewPrompt, Error> {
        let mut problems = Problems::default();
        let name = problems.line("name", &self.name.unwrap_or_default(), NAME_LIMIT);
        let key = self.key.unwrap_or_default();
        problems.key(&key);
        let description = description(&mut problems, self.description);
        let template = problems.template(&self.template.unwrap_or_default());
        let tags = problems.tags(self.tags.unwrap_or_default());
        problems.finish()?;
        Ok(NewPrompt {
            name,
            key,
            description,
            template,
            tags,
            repo: self.repo,
        })
    }
}

/// `PATCH /api/v1/prompts/{id}`; what is absent stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = PromptChanges)]
pub(crate) struct PromptChanges {
    #[schema(nullable = false, max_length = 120)]
    name: Option<String>,
    /// `null` takes it away.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 1000)]
    description: GivenText,
    #[schema(nullable = false)]
    tags: Option<Vec<String>>,
    /// Another text makes the next version.
    #[schema(nullable = false)]
    template: Option<String>,
}

/// Changes that may be stored.
#[derive(Debug)]
pub(crate) struct Changes {
    pub(crate) name: Option<String>,
    /// Whether the description changes, and to what.
    pub(crate) describe: bool,
    pub(crate) description: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) template: Option<String>,
}

impl PromptChanges {
    pub(crate) fn check(self) -> Result<Changes, Error> {
        let mut problems = Problems::default();
        let name = self
            .name
            .map(|name| problems.line("name", &name, NAME_LIMIT));
        let (describe, text) = match self.description {
            GivenText::Absent => (false, None),
            GivenText::Given(text) => (true, text),
        };
        let description = description(&mut problems, text);
        let tags = self.tags.map(|tags| problems.tags(tags));
        let template = self.template.map(|template| problems.template(&template));
        problems.finish()?;
        Ok(Changes {
            name,
            describe,
            description,
            tags,
            template,
        })
    }
}

/// `POST /api/v1/prompts/{id}/versions`
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewVersion)]
pub(crate) struct VersionRequest {
    #[schema(required = true, nullable = false)]
    template: Option<String>,
    /// Kept with the version; `description` says what changed.
    #[schema(value_type = Option<Object>)]
    metadata: Option<json::Object>,
}

/// A version that may be stored.
#[derive(Debug)]
pub(crate) struct NewVersion {
    pub(crate) template: String,
    pub(crate) content_hash: String,
    pub(crate) metadata: Box<RawValue>,
}

impl VersionRequest {
    pub(crate) fn check(self) -> Result<NewVersion, Error> {
        let mut problems = Problems::default();
        let template = problems.template(&self.template.unwrap_or_default());
        let json::Object(metadata) = self.metadata.unwrap_or_default();
        if let Some(description) = metadata.get("description") {
            match description {
                Value::String(text) => _ = problems.text("metadata", text, DESCRIPTION_LIMIT),
                Value::Null => {}
                _ => problems.add("metadata", "description must be a string"),
            }
        }
        let metadata = Value::Object(metadata);
        let text = metadata.to_string();
        if text.len() > METADATA_LIMIT {
            problems.add("metadata", "must have at most 16 KiB");
        }
        if has_nul(&metadata) {
            problems.add("metadata", "must not contain NUL characters");
        }
        problems.finish()?;
        let metadata = RawValue::from_string(text).map_err(Error::MalformedBody)?;
        Ok(NewVersion {
            content_hash: content_hash(&template),
            template,
            metadata,
        })
    }
}

/// `POST /api/v1/prompts/{id}/rollback`
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Rollback)]
pub(crate) struct RollbackRequest {
    /// Number of the version whose text becomes current again.
    #[schema(required = true, nullable = false)]
    version: Option<i64>,
}

impl RollbackRequest {
    pub(crate) fn check(self) -> Result<i64, Error> {
        self.version
            .ok_or_else(|| Error::field("version", "is required"))
    }
}

/// Whether there is a NUL, which jsonb cannot hold, in a name or a text.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Empty descriptions are none.
fn description(problems: &mut Problems, text: Option<String>) -> Option<String> {
    let text = text.map(|text| problems.text("description", text.trim(), DESCRIPTION_LIMIT));
    text.filter(|text| !text.is_empty())
}

/// Tells `null` from absent.
#[derive(Debug, Default)]
enum GivenText {
    #[default]
    Absent,
    Given(Option<String>),
}

impl<'de> Deserialize<'de> for GivenText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::Given)
    }
}
