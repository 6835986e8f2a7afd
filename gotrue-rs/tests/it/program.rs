//! The program `gotrue`, from its command line to its end.

use std::process::Command;

use platform_test::TestDatabase;
use platform_test::program::{Door, Program, get};

const GOTRUE: &str = env!("CARGO_BIN_EXE_gotrue");

/// What it needs besides the database.
const REST: [(&str, &str); 6] = [
    ("GOTRUE_DB_DRIVER", "postgres"),
    ("API_EXTERNAL_URL", "http://127.0.0.1/auth/v1"),
    ("GOTRUE_SITE_URL", "http://127.0.0.1"),
    (
        "GOTRUE_JWT_SECRET",
        "a-secret-of-more-than-thirty-two-characters",
    ),
    ("GOTRUE_API_HOST", "127.0.0.1"),
    ("PORT", "0"),
];

fn gotrue(arguments: &[&str], database: &str) -> Program {
    let vars = [&REST[..], &[("DATABASE_URL", database)]].concat();
    Program::start(GOTRUE, arguments, &vars)
}

/// The port of a line that says where it listens.
fn port(line: &str) -> u16 {
    let after = line.split_once("127.0.0.1:").unwrap().1;
    after.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn the_command_line_is_explained_and_a_wrong_one_is_refused() {
    let run = |arguments: &[&str]| Command::new(GOTRUE).args(arguments).output().unwrap();
    for help in ["--help", "-h", "help"] {
        let said = run(&[help]);
        assert!(said.status.success());
        let text = String::from_utf8(said.stdout).unwrap();
        for (name, _) in &REST[..4] {
            assert!(text.contains(name), "{text}");
        }
    }
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        concat!("gotrue ", env!("CARGO_PKG_VERSION"), "\n")
    );
    let wrong = run(&["migrat"]);
    assert_eq!(wrong.status.code(), Some(2));
    let text = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        text.starts_with("gotrue: there is no command \"migrat\"."),
        "{text}"
    );
}

#[test]
fn all_variables_that_are_missing_are_named_at_once() {
    let (status, log) = Program::start(GOTRUE, &[], &[]).end();
    assert!(!status.success());
    for (name, _) in [&REST[..4], &[("DATABASE_URL", "")]].concat() {
        assert!(
            log.contains(&format!("{name} is required but not set")),
            "{log}"
        );
    }
    assert!(log.contains("`gotrue --help` says what it needs"), "{log}");
}

#[tokio::test]
async fn a_wrong_password_is_told_and_not_waited_out() {
    let database = TestDatabase::create().await;
    let own = format!(":{}@", platform_test::PASSWORD);
    let url = database
        .url("supabase_auth_admin")
        .replacen(&own, ":wrong@", 1);
    let (status, log) = gotrue(&[], &url).end();
    assert!(!status.success());
    assert!(
        log.contains("DATABASE_URL: The database at 127.0.0.1:")
            && log.contains("refuses the password of the role supabase_auth_admin"),
        "{log}"
    );
    assert!(!log.contains("wrong"), "{log}");
}

#[tokio::test]
async fn a_database_that_is_not_up_yet_is_waited_for() {
    let database = TestDatabase::create().await;
    let door = Door::closed();
    let own = format!("127.0.0.1:{}/", database.port());
    let late = format!("127.0.0.1:{}/", door.port());
    let url = database.url("supabase_auth_admin").replacen(&own, &late, 1);
    let mut waiting = gotrue(&[], &url);
    let said = waiting.says("Waiting for the database");
    assert!(
        said.contains(&format!(
            "Nothing listens at {}",
            late.trim_end_matches('/')
        )),
        "{said}"
    );
    door.open(database.port());
    let port = port(&waiting.says("listening"));
    let health = get(port, "/health");
    assert!(health.starts_with("HTTP/1.1 200 "), "{health}");
    let (status, log) = waiting.terminate();
    assert!(status.success(), "{log}");
}

#[test]
fn whoever_waits_for_a_database_can_be_told_to_stop() {
    for command in ["migrate", "serve"] {
        let door = Door::closed();
        let url = format!(
            "postgres://supabase_auth_admin:x@127.0.0.1:{}/postgres",
            door.port()
        );
        let mut waiting = gotrue(&[command], &url);
        waiting.says("Waiting for the database");
        let (status, log) = waiting.terminate();
        assert!(status.success(), "{log}");
    }
}
