//! Every statement this service runs. Functions return what the database says and decide nothing.

pub(crate) mod changes;
pub(crate) mod health;
pub(crate) mod migrations;
pub(crate) mod organizations;
pub(crate) mod prompts;
pub(crate) mod repositories;
pub(crate) mod stats;
pub(crate) mod usage;
pub(crate) mod versions;
pub(crate) mod waitlist;

/// Most bytes of texts the database reads for one page of a list: an answer holds no more. The rest
/// needs another request.
const PAGE_BYTES: i64 = 2 * 1024 * 1024;

/// Columns of a prompt `p` in its repository `r` and organization `o`.
macro_rules! prompt_columns {
    () => {
        "p.id, p.key, p.name, p.description, p.tags, p.is_archived, p.created_at, p.updated_at,
  p.version as versions_count, p.version_id, p.version, p.template, p.content_hash,
  p.version_created_at, p.version_metadata,
  r.id as repository_id, r.slug as repository_slug, o.slug as owner"
    };
}

/// The names of those columns.
macro_rules! prompt_names {
    () => {
        "id, key, name, description, tags, is_archived, created_at, updated_at, versions_count,
  version_id, version, template, content_hash, version_created_at, version_metadata,
  repository_id, repository_slug, owner"
    };
}

pub(crate) use {prompt_columns, prompt_names};
