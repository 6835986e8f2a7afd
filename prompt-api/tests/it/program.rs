//! The program `prompt-api`, from its command line to its end.

use std::process::Command;

use platform_test::TestDatabase;
use platform_test::program::{Door, Program, get};

const PROMPT_API: &str = env!("CARGO_BIN_EXE_prompt-api");
const ADMIN_URL: &str = "PROMPT_API_ADMIN_DATABASE_URL";

fn prompt_api(arguments: &[&str], vars: &[(&str, &str)]) -> Program {
    let rest = [
        ("JWT_SECRET", "a-secret-of-more-than-thirty-two-characters"),
        ("PROMPT_API_HOST", "127.0.0.1"),
        ("PROMPT_API_PORT", "0"),
    ];
    Program::start(PROMPT_API, arguments, &[&rest[..], vars].concat())
}

#[test]
fn the_command_line_is_explained() {
    let said = Command::new(PROMPT_API).arg("--help").output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    for name in [
        "DATABASE_URL",
        "JWT_SECRET",
        ADMIN_URL,
        "prompt-api [COMMAND]",
    ] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn to_migrate_takes_the_address_of_an_administrator() {
    let url = (
        "DATABASE_URL",
        "postgres://authenticator:x@127.0.0.1:1/postgres",
    );
    let (status, log) = prompt_api(&["migrate"], &[url]).end();
    assert!(!status.success());
    assert!(
        log.contains(&format!("{ADMIN_URL} is required to migrate")),
        "{log}"
    );
}

#[tokio::test]
async fn its_part_of_the_database_is_made_and_one_that_it_cannot_be_made_in_is_refused() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    let own = database.url("authenticator");
    let admin = database.url(platform::cluster::SUPERUSER);
    let vars = [("DATABASE_URL", own.as_str()), (ADMIN_URL, admin.as_str())];
    let undo = "drop schema wildfire, wildfire_private cascade;
        delete from _wildfire.migrations where scope = 'wildfire_schemas'";
    superuser.batch(undo).await.unwrap();
    let (status, log) = prompt_api(&["migrate"], &vars).end();
    assert!(status.success(), "{log}");
    assert!(log.contains("create_prompts"), "{log}");
    // Again nothing is left to do, and then it serves.
    let mut running = prompt_api(&[], &vars);
    running.says("applied\":\"[]");
    let line = running.says("listening");
    let port = line.split_once("127.0.0.1:").unwrap().1;
    let port = port.split('"').next().unwrap().parse().unwrap();
    let health = get(port, "/health");
    assert!(health.starts_with("HTTP/1.1 200 "), "{health}");
    let (status, log) = running.terminate();
    assert!(status.success(), "{log}");
    superuser.batch("drop schema auth cascade").await.unwrap();
    let (status, log) = prompt_api(&["migrate"], &vars).end();
    assert!(!status.success());
    assert!(log.contains("Run `wildfire migrate --db-url"), "{log}");
}

#[test]
fn a_database_that_is_not_up_yet_is_waited_for_until_it_is_told_to_stop() {
    let door = Door::closed();
    let url = format!(
        "postgres://authenticator:x@127.0.0.1:{}/postgres",
        door.port()
    );
    let mut waiting = prompt_api(&[], &[("DATABASE_URL", &url)]);
    waiting.says("Waiting for the database: Nothing listens at 127.0.0.1");
    let (status, log) = waiting.terminate();
    assert!(status.success(), "{log}");
}
