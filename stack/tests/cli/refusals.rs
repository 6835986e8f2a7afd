//! Starts that must not happen, and what they say.

use std::fs;
use std::net::TcpListener;

use super::installation::{Installation, servers_of, stderr};

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
        assert_eq!(installation.left_behind(), [""; 0], "{option}");
    }
}

#[test]
fn one_port_for_two_things_is_no_other_programs() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let installation = Installation::new();
    let (api, database) = (format!("--port={port}"), format!("--db-port={port}"));
    let output = refused(&installation, &[&api, &database]);
    assert!(
        output.contains("asked for twice, for the API and the Postgres")
            && output.contains("--port or --db-port"),
        "{output}"
    );
    assert_eq!(installation.left_behind(), [""; 0]);
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
fn settings_are_read_before_anything_is_written_or_started() {
    let production = [
        ("WILDFIRE_ENV", "production"),
        ("SUPABASE_PUBLIC_URL", "https://prompts.example.com"),
    ];
    let broken: [(&[(&str, &str)], &str); 5] = [
        (&[("GOTRUE_JWT_EXP", "soon")], "GOTRUE_JWT_EXP"),
        (&[("WILDFIRE_GATEWAY", "open")], "WILDFIRE_GATEWAY"),
        (&[("JWT_KEYS", "[{}]")], "key"),
        (&[("DATABASE_URL", "nowhere")], "URL"),
        // Whoever opens no mailbox needs a mail server.
        (&production, "GOTRUE_SMTP_HOST"),
    ];
    for (variables, said) in broken {
        let mut installation = Installation::new();
        for (name, value) in variables {
            installation = installation.with(name, value);
        }
        for more in [&[][..], &["--detach"][..]] {
            let mut arguments =
                [&["start", "--port=0", "--app-port=0", "--db-port=0"], more].concat();
            if variables != production {
                arguments.push("--mail-port=0");
            }
            let output = installation.run(&arguments);
            assert!(!output.status.success(), "{variables:?}");
            let text = stderr(&output);
            assert!(text.contains(said), "{variables:?}: {text}");
            assert_eq!(installation.left_behind(), [""; 0], "{variables:?}");
        }
    }
}

#[test]
fn a_folder_with_something_else_in_it_is_refused_and_left_as_it_is() {
    let production = Installation::new()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com");
    production.write(".wildfire/postgres/letter.txt", "dear");
    let output = refused(&production, &[]);
    assert!(output.contains("postgres"), "{output}");
    assert_eq!(production.left_behind(), ["postgres"]);
}

#[test]
fn a_folder_that_is_a_project_or_somebodys_is_no_data_folder() {
    let installation = Installation::new();
    installation.write("supabase/config.toml", "project_id = \"own\"\n");
    installation.write("notes/todo.txt", "");
    for (folder, found) in [(".", "notes"), ("notes", "todo.txt")] {
        let option = format!("--data-dir={folder}");
        for arguments in [&["start"][..], &["migrate"], &["db", "reset", "--yes"]] {
            let output = installation.run(&[arguments, &[option.as_str()]].concat());
            let text = stderr(&output);
            assert!(!output.status.success(), "{arguments:?} {folder}");
            assert!(
                text.contains(&format!("{found:?} is in it")) && text.contains("--data-dir"),
                "{text}"
            );
        }
        assert!(!installation.path().join(folder).join(".gitignore").exists());
    }
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

#[test]
fn what_the_project_file_says_is_refused_in_its_own_words() {
    let hook = "project_id = \"own\"\n\n[auth.hook.custom_access_token]\nenabled = true\n\
        uri = \"pg-functions://postgres/public/token_hook\"\n";
    let installation = Installation::new();
    installation.write("supabase/config.toml", hook);
    // Whoever develops is told, and goes on.
    let process = installation.start(&[]);
    let said = process.output();
    assert!(
        said.contains("line 3: auth.hook.custom_access_token is NOT RUN"),
        "{said}"
    );
    drop(process);
    let installation = Installation::new()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com");
    installation.write("supabase/config.toml", hook);
    let text = refused(&installation, &[]);
    assert!(
        text.contains("supabase/config.toml:3: auth.hook.custom_access_token is not supported"),
        "{text}"
    );
    assert!(!text.contains("GOTRUE_HOOK"), "{text}");
}
