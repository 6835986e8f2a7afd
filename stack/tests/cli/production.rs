//! `WILDFIRE_ENV=production` and keys.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::installation::{Installation, Process, stdout};

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

/// A start is refused with a text that has `said` in it, and leaves nothing behind.
#[track_caller]
fn assert_refused(installation: &Installation, said: &str) {
    let Err(output) = installation.try_start(&[]) else {
        panic!("it started");
    };
    assert!(output.contains(said), "{output}");
    assert_eq!(installation.left_behind(), [""; 0], "{said}");
}

#[test]
fn production_refuses_what_is_not_fit_for_it() {
    let bare = Installation::new().with("WILDFIRE_ENV", "production");
    assert_refused(&bare, "SUPABASE_PUBLIC_URL");
    for (name, value, said) in [
        ("JWT_SECRET", DEMO_SECRET, "JWT_SECRET"),
        ("JWT_SECRET", "sixteen-letters!", "wildfire keys generate"),
        (
            "SUPABASE_PUBLIC_URL",
            "http://prompts.example.com",
            "WILDFIRE_ALLOW_HTTP_PUBLIC_URL",
        ),
        ("POSTGRES_PASSWORD", "postgres", "POSTGRES_PASSWORD"),
    ] {
        assert_refused(&production().with(name, value), said);
    }
}

/// What a running installation is entered by: its ports and the keys to them.
struct Doors {
    app: u16,
    mail: u16,
    anon: String,
    key: String,
}

/// Starts an installation and finds its doors.
fn open(installation: &Installation) -> (Process, Doors) {
    let process = installation.start(&[]);
    let doors = Doors {
        app: process.state.app_port.unwrap(),
        mail: process.state.mail_port.unwrap(),
        anon: secret(installation, "ANON_KEY"),
        key: secret(installation, "SUPABASE_SECRET_KEY"),
    };
    (process, doors)
}

/// A generated secret.
fn secret(installation: &Installation, name: &str) -> String {
    let secrets = fs::read_to_string(installation.data_dir().join("secrets.json")).unwrap();
    let secrets: serde_json::Value = serde_json::from_str(&secrets).unwrap();
    secrets[name].as_str().unwrap().to_owned()
}

#[test]
fn production_asks_for_keys_at_every_door() {
    let installation = production().with("WILDFIRE_HOST", "0.0.0.0");
    let (_process, doors) = open(&installation);
    let (app, mail) = (doors.app, doors.mail);
    let (anon, key) = (doors.anon, doors.key);
    let status = |port, path: &str, headers: &[(&str, &str)]| {
        let answer = Process::ask(port, &format!("GET {path}"), headers, "");
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(status(app, "/auth/v1/settings", &[]), "401");
    assert_eq!(
        status(app, "/auth/v1/settings", &[("apikey", &anon)]),
        "200"
    );
    assert_eq!(status(app, "/metrics", &[]), "401");
    assert_eq!(status(app, "/metrics", &[("apikey", &anon)]), "401");
    assert_eq!(status(app, "/metrics", &[("apikey", &key)]), "200");
    let basic = |password: &str| format!("Basic {}", STANDARD.encode(format!("me:{password}")));
    assert_eq!(status(mail, "/", &[]), "401");
    assert_eq!(
        status(mail, "/", &[("authorization", &basic(&anon))]),
        "401"
    );
    assert_eq!(status(mail, "/", &[("authorization", &basic(&key))]), "200");
    // The other ports listen on every address of this machine, the mailbox on one.
    std::net::TcpStream::connect(("127.0.0.2", app)).unwrap();
    std::net::TcpStream::connect(("127.0.0.2", mail)).unwrap_err();
}

#[test]
fn no_log_level_brings_credentials_into_the_log() {
    let installation = production().with("WILDFIRE_LOG", "trace,tokio_postgres=trace,h2=trace");
    let (process, doors) = open(&installation);
    let (app, mail) = (doors.app, doors.mail);
    let (anon, key) = (doors.anon, doors.key);
    let json = ("content-type", "application/json");
    let keys = [("apikey", anon.as_str()), json];
    let body = r#"{"email":"ada@example.com"}"#;
    let answer = Process::ask(app, "POST /auth/v1/otp", &keys, body);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let basic = format!("Basic {}", STANDARD.encode(format!("me:{key}")));
    let letter = Process::ask(
        mail,
        "GET /api/v1/message/latest",
        &[("authorization", &basic)],
        "",
    );
    let hash = letter.split_once("token=").unwrap().1;
    let hash = hash
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap();
    let path =
        format!("GET /auth/v1/verify?token={hash}&type=signup&code=c0de-in-a-url&apikey={anon}");
    let referer = (
        "referer",
        "https://x.example/?access_token=t0ken-in-a-referer",
    );
    let answer = Process::ask(app, &path, &[referer], "");
    let session = answer.split_once("refresh_token=").expect(&answer).1;
    let refresh_token = session.split('&').next().unwrap();
    let log = process.output();
    assert!(log.contains("/auth/v1/verify"), "{log}");
    for credential in [
        hash,
        refresh_token,
        anon.as_str(),
        key.as_str(),
        "c0de-in-a-url",
        "t0ken-in-a-referer",
        "ada@example.com",
    ] {
        assert!(
            !log.contains(credential),
            "{credential} is in the log:\n{log}"
        );
    }
}

#[test]
fn generated_keys_differ_each_time() {
    let installation = Installation::new();
    let one = stdout(&installation.run(&["keys", "generate"]));
    let two = stdout(&installation.run(&["keys", "generate"]));
    assert!(one.contains("JWT_SECRET='") && one.contains("SUPABASE_SECRET_KEY='sb_secret_"));
    assert_ne!(one, two);
}
