//! Everything of Wildfire in one process: `wildfire start`.

pub mod config_toml;
pub mod gateway;
pub mod mailbox;
pub mod serve;
pub mod webapp;
