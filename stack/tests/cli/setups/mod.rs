//! Set-ups that are wrong, and the words for each: what is wrong, where, and what to do. The words
//! stand in `snapshots/`, to be read as whoever made the mistake would.

mod settings;
mod sql;

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;

use insta::Settings;

use super::installation::{Installation, stderr};

const CONFIG: &str = "supabase/config.toml";

/// What is wrong, the files and the variables that make it so, and the command that finds it.
struct SetUp<'a> {
    what: &'a str,
    files: &'a [(&'a str, &'a str)],
    variables: &'a [(&'a str, &'a str)],
    arguments: &'a [&'a str],
}

/// A set-up in which nothing is wrong.
const NOTHING: SetUp<'_> = SetUp {
    what: "",
    files: &[],
    variables: &[],
    arguments: &[],
};

/// Starts on free ports unless the set-up says otherwise.
fn refusal(installation: &Installation, arguments: &[&str]) -> String {
    let text = if arguments.first().is_none_or(|first| *first == "start") {
        let more = arguments.get(1..).unwrap_or_default();
        let Err(text) = installation.try_start(more) else {
            panic!(
                "it started: {arguments:?} {:?}",
                fs::read_to_string(installation.path().join(CONFIG))
            );
        };
        text
    } else {
        let output = installation.run(arguments);
        assert!(!output.status.success(), "it worked: {arguments:?}");
        stderr(&output)
    };
    // What it says before, of where it is and of the Postgres it made, is not the refusal's.
    let own = text.lines().skip_while(|line| !line.starts_with("error"));
    own.collect::<Vec<_>>().join("\n")
}

/// The set-ups of one kind, one after the other, as their reviewed file has them.
fn assert_refusals(name: &str, setups: &[SetUp<'_>]) {
    let mut text = String::new();
    for setup in setups {
        let mut installation = Installation::new();
        for (name, value) in setup.variables {
            installation = installation.with(name, value);
        }
        for (path, content) in setup.files {
            installation.write(path, content);
        }
        let refused = refusal(&installation, setup.arguments);
        describe(&mut text, setup, &told(&installation, &refused));
    }
    assert_reviewed(name, &text);
}

fn assert_reviewed(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Without what differs from run to run.
fn told(installation: &Installation, text: &str) -> String {
    let program = env!("CARGO_BIN_EXE_wildfire");
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let checkout = checkout.trim_end_matches("stack/");
    let folder = installation.path().to_str().unwrap();
    text.replace(program, "wildfire")
        .replace(folder, "[project]")
        .replace(checkout, "[checkout]/")
}

fn describe(text: &mut String, setup: &SetUp<'_>, refused: &str) {
    writeln!(text, "# {}", setup.what).unwrap();
    for (name, value) in setup.variables {
        writeln!(text, "{name}={value}").unwrap();
    }
    for (path, content) in setup.files {
        writeln!(text, "{path}:").unwrap();
        for line in content.replace('\0', "\\0").lines() {
            writeln!(text, "    {line}").unwrap();
        }
    }
    let arguments = match setup.arguments {
        [] => "start".to_owned(),
        given => given.join(" "),
    };
    writeln!(text, "$ wildfire {arguments}\n{refused}\n").unwrap();
}

const FOLDERS: &[SetUp<'_>] = &[
    SetUp {
        what: "a project in no folder",
        arguments: &["start", "--workdir=nowhere"],
        ..NOTHING
    },
    SetUp {
        what: "a project in a file",
        files: &[("project", "")],
        arguments: &["start", "--workdir=project"],
        ..NOTHING
    },
    SetUp {
        what: "data in a file",
        files: &[("data", "")],
        arguments: &["start", "--data-dir=data"],
        ..NOTHING
    },
    SetUp {
        what: "data where nothing can be made",
        arguments: &["start", "--data-dir=/proc/wildfire"],
        ..NOTHING
    },
    SetUp {
        what: "data among somebody's files",
        files: &[("letters/dear.txt", "")],
        arguments: &["start", "--data-dir=letters"],
        ..NOTHING
    },
    SetUp {
        what: "data of another Postgres",
        files: &[(".wildfire/postgres/PG_VERSION", "14\n")],
        ..NOTHING
    },
    SetUp {
        what: "secrets that are damaged",
        files: &[(".wildfire/secrets.json", "{")],
        variables: &[
            ("WILDFIRE_ENV", "production"),
            ("SUPABASE_PUBLIC_URL", "https://prompts.example.com"),
        ],
        ..NOTHING
    },
    SetUp {
        what: "production, and nobody says so",
        files: &[(".wildfire/secrets.json", "{}")],
        arguments: &["status"],
        ..NOTHING
    },
    SetUp {
        what: "a new key where the keys are the project's",
        files: &[
            (
                "supabase/config.toml",
                "[auth]\nsigning_keys_path = \"./keys.json\"\n",
            ),
            ("supabase/keys.json", "[]"),
            (".wildfire/secrets.json", "{}"),
        ],
        variables: &[
            ("WILDFIRE_ENV", "production"),
            ("SUPABASE_PUBLIC_URL", "https://prompts.example.com"),
        ],
        arguments: &["keys", "rotate"],
    },
    SetUp {
        what: "one port for two things",
        arguments: &["start", "--port=4999", "--app-port=4999"],
        ..NOTHING
    },
    SetUp {
        what: "a port that is none",
        arguments: &["start", "--port=70000"],
        ..NOTHING
    },
    SetUp {
        what: "an option that is misspelled",
        arguments: &["start", "--prot=4999"],
        ..NOTHING
    },
    SetUp {
        what: "a command that is misspelled",
        arguments: &["strat"],
        ..NOTHING
    },
    SetUp {
        what: "nothing to stop",
        arguments: &["stop"],
        ..NOTHING
    },
];

#[test]
fn a_wrong_folder_or_option_is_told() {
    assert_refusals("folders", FOLDERS);
}

#[test]
fn a_port_that_is_taken_is_told_by_its_option() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let installation = Installation::new();
    let mut text = String::new();
    for option in ["--port", "--app-port", "--db-port", "--mail-port"] {
        let refused = refusal(&installation, &["start", &format!("{option}={port}")]);
        writeln!(text, "$ wildfire start {option}=[port]").unwrap();
        writeln!(text, "{}\n", refused.replace(&port, "[port]")).unwrap();
    }
    assert_reviewed("ports", &text);
}

#[test]
fn what_counts_as_something_else_than_it_says_is_remarked() {
    let installation = Installation::new().with("WILDFIRE_PROT", "80");
    installation.write(
        CONFIG,
        "project_id = \"own\"\n[auth]\njwt_expiry = 0\nminimum_password_length = 2\n\
         site_ulr = \"http://localhost\"\n[auth.email]\notp_length = 999\n[auth.sms]\n\
         enable_signup = true\n[auth.external.github]\nenabled = true\nclient_id = \"x\"\n\
         secret = \"y\"\n",
    );
    let process = installation.start(&[]);
    let output = process.output();
    for said in [
        "WILDFIRE_PROT is no variable of Wildfire and has no effect",
        "supabase/config.toml:3: auth.jwt_expiry is 0, and may be 1 to 315360000; 3600 counts",
        "supabase/config.toml:4: auth.minimum_password_length is 2, and may be 6 to",
        "supabase/config.toml: line 5: unknown key auth.site_ulr is ignored",
        "supabase/config.toml:7: auth.email.otp_length is 999, and may be 6 to 10; 6 counts",
        "supabase/config.toml:9: auth.sms.enable_signup lets numbers with a test code in",
        "supabase/config.toml:10: auth.external.github is not part of this build yet",
    ] {
        assert!(output.contains(said), "{said}: {output}");
    }
}
