//! The built `wildfire` on free ports with folders of its own, one file per concern.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

mod archives;
mod background;
mod backup;
mod connections;
mod crash;
mod database;
mod doctor;
mod full_disk;
mod installation;
mod log;
mod pages;
mod production;
mod project;
mod projects;
mod prompts;
mod refusals;
mod setups;
mod start_stop;
mod supervise;
mod takeover;
mod terminal;

/// A folder every account may enter, so that root's Postgres need not move.
fn open_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o755);
    tempfile::Builder::new()
        .prefix("wildfire-test-")
        .permissions(mode)
        .tempdir()
        .unwrap()
}
