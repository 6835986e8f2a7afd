//! Starts that must not happen, and what they say.

use std::fs;
use std::net::TcpListener;

use super::installation::{Installation, servers_of};

fn refused(installation: &Installation, arguments: &[&str]) -> String {
    match installation.try_start(arguments) {
        Ok(_) => panic!("it started"),
        Err(output) => output,
    }
}

#[test]
fn a_taken_port_is_named_with_its_option() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let installation = Installation::new();
    for option in ["--port", "--app-port", "--db-port", "--mail-port"] {
        let output = refused(&installation, &[&format!("{option}={port}")]);
        assert!(
            output.contains(&port) && output.contains(option),
            "{output}"
        );
        assert!(
            !installation.data_dir().join("postgres").exists(),
            "{option}"
        );
    }
}

#[test]
fn a_second_instance_is_told_about_the_first() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let second = installation
        .command(&["start", "--port=0"])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success());
    assert!(output.contains("already running"), "{output}");
    assert!(output.contains(&process.state.api_url), "{output}");
    assert_eq!(servers_of(&installation.data_dir()), 1);
}

#[test]
fn a_data_folder_of_another_major_version_says_what_it_needs() {
    let installation = Installation::new();
    fs::create_dir_all(installation.data_dir().join("postgres")).unwrap();
    fs::write(installation.data_dir().join("postgres/PG_VERSION"), "14\n").unwrap();
    let output = refused(&installation, &[]);
    assert!(
        output.contains("Postgres 14") && output.contains("WILDFIRE_PG_BIN"),
        "{output}"
    );
}

#[test]
fn development_does_not_listen_to_the_network() {
    let installation = Installation::new().with("WILDFIRE_HOST", "0.0.0.0");
    let output = refused(&installation, &[]);
    assert!(output.contains("WILDFIRE_ENV=production"), "{output}");
}

#[test]
fn a_variable_set_to_nothing_changes_nothing() {
    let installation = Installation::new()
        .with("WILDFIRE_PG_BIN", "")
        .with("WILDFIRE_LOG", "")
        .with("GOTRUE_DISABLE_SIGNUP", "")
        .with("GOTRUE_JWT_EXP", "");
    installation.start(&[]);
}

#[test]
fn missing_binaries_say_where_to_get_them() {
    let empty = super::open_folder();
    let installation = Installation::new().with("WILDFIRE_PG_BIN", empty.path().to_str().unwrap());
    let output = refused(&installation, &[]);
    assert!(output.contains("WILDFIRE_PG_BIN"), "{output}");
}
