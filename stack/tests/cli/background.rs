//! `wildfire start --detach`.

use std::fs::{self, File};
use std::net::TcpListener;

use stack::lifecycle::running;

use super::installation::{Installation, Process, servers_of, stderr, stdout};
use super::supervise::wait_until;

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

#[test]
fn whoever_starts_it_in_the_background_is_told_once_what_a_start_remarks() {
    let installation = Installation::new()
        .with("WILDFIRE_PROMTS", "false")
        .with("GOTRUE_DISABLE_SIGNUP", "");
    let config = "[auth.hook.custom_access_token]\nenabled = true\n\
        uri = \"pg-functions://postgres/public/token_hook\"\n";
    installation.write("supabase/config.toml", config);
    // This one is found when the database is there.
    installation.write("supabase/migrations/notes.txt", "");
    let started = installation.run(&[&["start", "--detach"], &PORTS[..]].concat());
    let said = stderr(&started);
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
    for remark in [
        "auth.hook.custom_access_token is NOT RUN",
        "WILDFIRE_PROMTS is no variable of Wildfire",
        "GOTRUE_DISABLE_SIGNUP",
        "notes.txt is not named",
    ] {
        assert_eq!(said.matches(remark).count(), 1, "{remark}:\n{said}");
    }
}

#[test]
fn the_log_of_one_background_start_survives_the_next() {
    let installation = Installation::new();
    let start = [&["start", "--detach"], &PORTS[..]].concat();
    let log = installation.data_dir().join("wildfire.log");
    let run_once = || {
        assert!(installation.run(&start).status.success());
        assert!(installation.run(&["stop"]).status.success());
        fs::read_to_string(&log).unwrap()
    };
    let first = run_once();
    assert!(first.contains("Stopped"), "{first}");
    let both = run_once();
    assert!(
        both.starts_with(&first) && both.len() > first.len(),
        "{both}"
    );
    // What failed now is told without what was before.
    installation.write("supabase/migrations/1_wrong.sql", "selekt 1;");
    let failed = stderr(&installation.run(&start));
    assert!(failed.contains("1_wrong.sql"), "{failed}");
    assert!(!failed.contains("Stopped"), "{failed}");
}

#[test]
fn a_log_that_is_emptied_meanwhile_goes_on_at_its_beginning() {
    let installation = Installation::new();
    let started = installation.run(&[&["start", "--detach"], &PORTS[..]].concat());
    assert!(started.status.success(), "{}", stderr(&started));
    let log = installation.data_dir().join("wildfire.log");
    File::options()
        .write(true)
        .truncate(true)
        .open(&log)
        .unwrap();
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
    let said = fs::read_to_string(&log).unwrap();
    assert!(
        said.starts_with('·') && said.contains("Stopped"),
        "{said:?}"
    );
}

#[test]
fn an_installation_whose_folder_was_replaced_leaves_it_to_the_one_that_took_it() {
    let installation = Installation::new();
    let mut first = installation.start(&[]);
    fs::rename(installation.data_dir(), installation.path().join("moved")).unwrap();
    let started = installation.run(&[&["start", "--detach"], &PORTS[..]].concat());
    assert!(started.status.success(), "{}", stderr(&started));
    wait_until("the first goes on", || first.has_ended());
    let said = first.output();
    assert!(
        said.contains("was replaced, and another Wildfire has taken it"),
        "{said}"
    );
    assert_eq!(servers_of(&installation.path().join("moved")), 0);
    let second = running(&installation.data_dir()).unwrap().unwrap();
    let health = Process::ask(second.api_port, "GET /health", &[], "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
}
