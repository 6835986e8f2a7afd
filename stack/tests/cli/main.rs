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

/// Says that a test was left out, and where: not with the words that tests which pass keep to themselves.
fn left_out(why: &str) {
    use std::io::Write as _;
    let test = std::thread::current();
    let test = test.name().unwrap_or_default();
    _ = writeln!(std::io::stderr(), "\nleft out: {test}: {why}");
}
