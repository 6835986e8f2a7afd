//! Everything of Wildfire in one process: `wildfire start`.

pub mod commands;
pub mod config_toml;
pub mod gateway;
pub mod lifecycle;
pub mod mailbox;
pub mod postgres;
pub mod secrets;
pub mod serve;
pub mod ui;
pub mod webapp;
pub mod workdir;

use platform::service::Definition;

/// The services of this build, in the order in which their parts of the database are made: one line
/// each.
pub static SERVICES: [&Definition; 2] = [
    &gotrue::SERVICE,     // /auth/v1
    &prompt_api::SERVICE, // /api, /health, /metrics, /docs
];

/// Whether the prompt platform, its app included, is among these.
pub(crate) fn has_prompts(services: &[&Definition]) -> bool {
    let prompts = prompt_api::SERVICE.name;
    services.iter().any(|service| service.name == prompts)
}
