//! `wildfire start --detach`.

use std::net::TcpListener;

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

/// Ports that are free, none of them among those the system gives away on its own.
fn free_ports() -> [u16; 4] {
    let first = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    let mut free =
        (first..first + 1000).filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    std::array::from_fn(|_| free.next().unwrap())
}

#[test]
fn a_detached_installation_opens_the_ports_it_was_told() {
    let installation = Installation::new();
    let ports = free_ports();
    let names = ["port", "app-port", "db-port", "mail-port"];
    let options: Vec<String> = std::iter::zip(names, ports)
        .map(|(name, port)| format!("--{name}={port}"))
        .collect();
    let mut arguments = vec!["start", "--detach"];
    arguments.extend(options.iter().map(String::as_str));
    let started = installation.run(&arguments);
    assert!(started.status.success(), "{}", stderr(&started));
    let status = installation.run(&["status", "-o", "env"]);
    let api = format!("http://127.0.0.1:{}", ports[0]);
    assert!(stdout(&status).contains(&api), "{}", stdout(&status));
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
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
