//! Start, status, stop.

use rustix::process::{Pid, Signal, kill_process};

use super::installation::{Installation, Process, servers_of, stderr, stdout};

/// The names scripts read with `eval "$(supabase status -o env)"`.
const NAMES: &[&str] = &[
    "ANON_KEY",
    "API_URL",
    "DB_URL",
    "FUNCTIONS_URL",
    "GRAPHQL_URL",
    "INBUCKET_URL",
    "JWT_SECRET",
    "MAILPIT_URL",
    "MCP_URL",
    "PUBLISHABLE_KEY",
    "REST_URL",
    "S3_PROTOCOL_ACCESS_KEY_ID",
    "S3_PROTOCOL_ACCESS_KEY_SECRET",
    "S3_PROTOCOL_REGION",
    "SECRET_KEY",
    "SERVICE_ROLE_KEY",
    "STORAGE_S3_URL",
    "STUDIO_URL",
];

#[test]
fn everything_starts_answers_and_stops() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    for port in [
        Some(process.state.api_port),
        process.state.app_port,
        process.state.mail_port,
    ] {
        let answer = Process::answer(port.unwrap());
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    }
    assert_eq!(servers_of(&installation.data_dir()), 1);
    let stopped = installation.run(&["stop"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
    assert!(process.wait().success(), "{}", process.output());
    assert_eq!(servers_of(&installation.data_dir()), 0);
    assert!(!installation.data_dir().join("wildfire.json").exists());
}

#[test]
fn the_first_start_says_what_it_makes_and_what_to_type_next() {
    let installation = Installation::new().with("WILDFIRE_CALLED_AS", "cargo x");
    let mut process = installation.start(&[]);
    let output = process.output();
    assert!(
        output.contains("There is no supabase/config.toml in")
            && output.contains("its data in .wildfire"),
        "{output}"
    );
    assert!(output.contains("`cargo x status -o env`"), "{output}");
    assert!(output.contains("`cargo x stop`"), "{output}");
    installation.run(&["stop"]);
    process.wait();
    let process = installation.start(&[]);
    assert!(
        !process.output().contains("There is no"),
        "{}",
        process.output()
    );
}

#[test]
fn status_prints_the_clis_names() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let env = stdout(&installation.run(&["status", "-o", "env"]));
    let names: Vec<&str> = env
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    let api = format!("API_URL=\"http://127.0.0.1:{}\"", process.state.api_port);
    assert!(env.lines().any(|line| line == api), "{env}");
    assert!(env.contains("PUBLISHABLE_KEY=\"sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH\""));

    let json = stdout(&installation.run(&["status", "-o", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(NAMES.iter().all(|name| json.get(name).is_some()), "{json}");
    let pretty = stdout(&installation.run(&["status"]));
    assert!(pretty.contains("Mailbox"), "{pretty}");
}

#[test]
fn ctrl_c_stops_everything() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    let pid = Pid::from_raw(i32::try_from(process.state.pid).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert!(process.wait().success(), "{}", process.output());
    assert_eq!(servers_of(&installation.data_dir()), 0);
}

#[test]
fn without_a_running_installation_stop_and_status_say_so() {
    let installation = Installation::new();
    for command in ["stop", "status"] {
        let output = installation.run(&[command]);
        assert!(!output.status.success());
        assert!(
            stderr(&output).contains("not running"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn the_data_folder_ignores_itself_in_git() {
    let installation = Installation::new();
    drop(installation.start(&[]));
    let ignore = std::fs::read_to_string(installation.data_dir().join(".gitignore")).unwrap();
    assert_eq!(ignore, "*\n");
}
