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
