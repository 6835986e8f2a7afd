//! `WILDFIRE_ENV=production`, keys, and the doctor.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::installation::{Installation, stderr, stdout};

const DEMO_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";

fn production() -> Installation {
    Installation::new()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com")
}

#[test]
fn production_has_secrets_of_its_own() {
    let installation = production();
    let process = installation.start(&[]);
    let path = installation.data_dir().join("secrets.json");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let env = stdout(&installation.run(&["status", "-o", "env"]));
    assert!(
        env.contains("API_URL=\"https://prompts.example.com\""),
        "{env}"
    );
    assert!(
        !env.contains(DEMO_SECRET) && !env.contains("postgres:postgres@"),
        "{env}"
    );
    let secrets = fs::read_to_string(path).unwrap();
    let secrets: serde_json::Value = serde_json::from_str(&secrets).unwrap();
    let secret = secrets["SUPABASE_SECRET_KEY"].as_str().unwrap();
    assert!(
        !process.output().contains(secret),
        "secrets do not belong in a log"
    );
}

#[test]
fn production_takes_over_a_folder_made_in_development() {
    let folder = Installation::new();
    let mut process = folder.start(&[]);
    folder.run(&["stop"]);
    process.wait();
    drop(process);
    let folder = folder
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com");
    for _ in 0..2 {
        let mut process = folder.start(&[]);
        folder.run(&["stop"]);
        process.wait();
    }
}

#[test]
fn production_refuses_what_is_not_fit_for_it() {
    let unnamed = Installation::new().with("WILDFIRE_ENV", "production");
    let Err(output) = unnamed.try_start(&[]) else {
        panic!("it started")
    };
    assert!(output.contains("SUPABASE_PUBLIC_URL"), "{output}");

    let demo = production().with("JWT_SECRET", DEMO_SECRET);
    let Err(output) = demo.try_start(&[]) else {
        panic!("it started")
    };
    assert!(output.contains("JWT_SECRET"), "{output}");
    let weak = production().with("POSTGRES_PASSWORD", "postgres");
    let Err(output) = weak.try_start(&[]) else {
        panic!("it started")
    };
    assert!(output.contains("POSTGRES_PASSWORD"), "{output}");
}

#[test]
fn generated_keys_differ_each_time() {
    let installation = Installation::new();
    let one = stdout(&installation.run(&["keys", "generate"]));
    let two = stdout(&installation.run(&["keys", "generate"]));
    assert!(one.contains("JWT_SECRET='") && one.contains("SUPABASE_SECRET_KEY='sb_secret_"));
    assert_ne!(one, two);
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let installation = Installation::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
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
