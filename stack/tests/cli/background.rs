//! `wildfire start --detach`.

use super::installation::{Installation, servers_of, stderr, stdout};

const PORTS: [&str; 4] = ["--port=0", "--app-port=0", "--db-port=0", "--mail-port=0"];

#[test]
fn a_detached_installation_runs_until_it_is_stopped() {
    let installation = Installation::new();
    let started = installation.run(&[&["start", "--detach"], &PORTS[..]].concat());
    assert!(started.status.success(), "{}", stderr(&started));
    assert!(
        stderr(&started).contains("wildfire.log"),
        "{}",
        stderr(&started)
    );
    let status = installation.run(&["status", "-o", "env"]);
    assert!(stdout(&status).contains("API_URL="), "{}", stderr(&status));
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
    assert_eq!(servers_of(&installation.data_dir()), 0);
}

#[test]
fn a_detached_start_that_fails_says_why() {
    let installation = Installation::new();
    installation.write("supabase/migrations/1_wrong.sql", "selekt 1;");
    let started = installation.run(&[&["start", "--detach"], &PORTS[..]].concat());
    assert!(!started.status.success());
    assert!(
        stderr(&started).contains("supabase/migrations/1_wrong.sql"),
        "{}",
        stderr(&started)
    );
}
