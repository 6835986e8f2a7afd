//! Prompts and versions as they are answered, borrowed from the database's rows.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

/// A prompt with its current version, or the version that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Prompt)]
pub(crate) struct PromptBody<'r> {
    pub id: i64,
    /// Unique within the repository; never changes.
    pub key: &'r str,
    pub name: &'r str,
    pub description: Option<&'r str>,
    pub tags: Vec<&'r str>,
    pub is_archived: bool,
    pub current_version: VersionBody<'r>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    pub repository: RepositoryName<'r>,
    pub versions_count: i32,
}

/// Where a prompt lives.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RepositoryName<'r> {
    pub id: Uuid,
    /// Slug of the organization.
    pub owner: &'r str,
    pub slug: &'r str,
}

/// One text a prompt has had.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PromptVersion)]
pub(crate) struct VersionBody<'r> {
    pub id: i64,
    /// Counts from 1.
    pub version: i32,
    pub template: &'r str,
    /// SHA-256 of the template in lower-case hexadecimal.
    pub content_hash: &'r str,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Whatever was given with the version, such as a `description` of the change.
    #[schema(value_type = Object)]
    pub metadata: &'r RawValue,
}
