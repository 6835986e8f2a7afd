//! What a prompt is made of and what its parts must look like.

mod body;
mod fields;
mod requests;

pub(crate) use body::{PromptBody, RepositoryName, VersionBody};
pub(crate) use fields::{Problems, TEMPLATE_LIMIT, check_key, content_hash};
pub(crate) use requests::{
    Changes, NewPrompt, NewVersion, PromptChanges, PromptRequest, RollbackRequest, VersionRequest,
};
