//! `wildfire doctor`: what it looks at, and what it says of what it finds.

use std::fs;
use std::net::TcpListener;

use rustix::process::{Pid, Signal, kill_process};

use super::installation::{Installation, stderr, stdout};

fn production() -> Installation {
    Installation::new()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com")
}

/// What it says, and whether it finds everything well.
fn doctor(installation: &Installation) -> (String, bool) {
    let output = installation.run(&["doctor"]);
    (stdout(&output), output.status.success())
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let installation = Installation::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    installation.write("supabase/config.toml", &format!("[db]\nport = {port}\n"));
    let output = installation.run(&["doctor"]);
    let text = stdout(&output);
    assert!(!output.status.success(), "{text}");
    assert!(
        text.contains(&format!("port {port}")) && text.contains("--db-port"),
        "{text}"
    );
    for checked in ["Postgres", "data folder", "demo keys", "mail", "clock"] {
        assert!(text.contains(checked), "{checked}: {text}");
    }
    assert!(stderr(&output).contains("checks failed"));
}

#[test]
fn ports_that_are_not_opened_are_not_looked_at() {
    let text = doctor(&Installation::new()).0;
    assert!(
        text.contains("(Postgres)") && text.contains("(mailbox)"),
        "{text}"
    );
    let text = doctor(&production()).0;
    assert!(
        text.contains("(Postgres)") && !text.contains("(mailbox)"),
        "{text}"
    );
    let elsewhere = Installation::new().with("DATABASE_URL", "postgres://127.0.0.1:1/postgres");
    let text = doctor(&elsewhere).0;
    assert!(!text.contains("(Postgres)"), "{text}");
}

#[test]
fn settings_that_a_start_refuses_are_found() {
    let (text, well) = doctor(&production());
    assert!(!well && text.contains("GOTRUE_SMTP_HOST"), "{text}");
    let (text, well) = doctor(&Installation::new().with("GOTRUE_JWT_EXP", "soon"));
    assert!(!well && text.contains("GOTRUE_JWT_EXP"), "{text}");
    let installation = production();
    installation.write(
        "supabase/config.toml",
        "[auth.email.smtp]\nenabled = true\nhost = \"smtp.example.com\"\nport = 587\n\
         user = \"me\"\npass = \"secret\"\nadmin_email = \"me@example.com\"\n",
    );
    let text = doctor(&installation).0;
    assert!(text.contains("mail goes to smtp.example.com"), "{text}");
}

#[test]
fn keys_that_a_start_refuses_are_found_before_the_first_one_and_nothing_is_made() {
    let demo = "super-secret-jwt-token-with-at-least-32-characters-long";
    let installation = production().with("JWT_SECRET", demo);
    let (text, well) = doctor(&installation);
    assert!(!well && text.contains("JWT_SECRET"), "{text}");
    let installation = production();
    let text = doctor(&installation).0;
    assert!(text.contains("no secrets yet"), "{text}");
    assert!(!installation.data_dir().exists());
}

#[test]
fn the_doctor_looks_at_what_a_start_with_these_options_would_use() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let installation = Installation::new();
    for option in ["--port", "--app-port", "--db-port", "--mail-port"] {
        let output = installation.run(&["doctor", option, &port.to_string()]);
        let text = stdout(&output);
        assert!(!output.status.success(), "{option}: {text}");
        assert!(
            text.contains(&format!("port {port}")) && text.contains(option),
            "{option}: {text}"
        );
    }
    let twice = ["doctor", "--port", "4999", "--app-port", "4999"];
    let text = stdout(&installation.run(&twice));
    assert!(text.contains("port 4999 is asked for twice"), "{text}");
    let elsewhere = "postgres://127.0.0.1:1/postgres";
    let text = stdout(&installation.run(&["doctor", "--db-url", elsewhere]));
    assert!(
        text.contains("the database that is named does not answer"),
        "{text}"
    );
    let below = installation.path().join("a-file/below");
    fs::write(installation.path().join("a-file"), "").unwrap();
    let text = stdout(&installation.run(&["doctor", "--data-dir", below.to_str().unwrap()]));
    assert!(text.contains("FAIL  data folder a-file/below"), "{text}");
    assert!(!installation.data_dir().exists());
}

#[test]
fn a_database_that_takes_connections_and_says_nothing_is_not_well() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://{}/postgres", silent.local_addr().unwrap());
    let (text, well) = doctor(&Installation::new().with("DATABASE_URL", &url));
    assert!(!well, "{text}");
    assert!(
        text.contains("the database that is named does not answer within 10 s"),
        "{text}"
    );
}

#[test]
fn a_running_database_is_asked_whether_it_works() {
    let installation = Installation::new();
    let _process = installation.start(&[]);
    let (text, well) = doctor(&installation);
    assert!(well, "{text}");
    assert!(text.contains("the running database answers"), "{text}");
    let pid = fs::read_to_string(installation.data_dir().join("postgres/postmaster.pid")).unwrap();
    let server = Pid::from_raw(pid.lines().next().unwrap().parse().unwrap()).unwrap();
    kill_process(server, Signal::STOP).unwrap();
    let (text, well) = doctor(&installation);
    kill_process(server, Signal::CONT).unwrap();
    assert!(!well, "{text}");
    assert!(
        text.contains("the running database does not answer within 10 s"),
        "{text}"
    );
}
