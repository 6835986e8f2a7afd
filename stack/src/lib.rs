//! Everything of Wildfire in one process: `wildfire start`.

pub mod backup;
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

/// What an installation consists of.
pub fn services(with_prompts: bool) -> Vec<&'static Definition> {
    if with_prompts {
        return SERVICES.to_vec();
    }
    let others = SERVICES.into_iter().filter(|it| !has_prompts(&[it]));
    others.chain([&serve::OPERATIONS]).collect()
}

/// Whether the prompt platform, its app included, is among these.
pub(crate) fn has_prompts(services: &[&Definition]) -> bool {
    let prompts = prompt_api::SERVICE.name;
    services.iter().any(|service| service.name == prompts)
}
