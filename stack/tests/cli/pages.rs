//! The operator's pages do what they say: every `sh` block of a page in `docs/operate/` is run, in the
//! order of the page and in one shell, as somebody does who types it all.
//!
//! A page begins in a project's folder. In place of `wildfire` there is a shim that lets `start` pick
//! free ports (`doctor` looks at the same). What cannot be run on any machine (a service file, a line of a crontab) stands in a block
//! of another language (`ini`, `text`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::installation::{Installation, stderr, stdout};
use super::open_folder;

/// The commands of a page.
struct Page {
    name: String,
    blocks: Vec<Block>,
}

struct Block {
    line: usize,
    text: String,
}

impl Page {
    /// A page of `docs/operate/`.
    fn read(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate");
        let page = Self::parse(name, &fs::read_to_string(folder.join(name)).unwrap());
        assert!(!page.blocks.is_empty(), "{name} has no commands");
        page
    }

    fn parse(name: &str, text: &str) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut language = None;
        for (line, text) in text.lines().enumerate() {
            match (text.trim_start().strip_prefix("```"), language) {
                (Some(_), Some(_)) => language = None,
                (Some(opened), None) => {
                    language = Some(opened);
                    if opened == "sh" {
                        let text = String::new();
                        blocks.push(Block { line, text });
                    }
                }
                (None, Some("sh")) => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(text);
                    block.text.push('\n');
                }
                (None, _) => {}
            }
        }
        let name = name.to_owned();
        Self { name, blocks }
    }

    /// One script that says where on the page it is and ends where a command fails.
    fn script(&self) -> String {
        let blocks = self.blocks.iter().map(|Block { line, text }| {
            let first = line + 2;
            format!("echo '--- {}, line {first}' >&2\n{text}", self.name)
        });
        format!("set -eu\n{}", blocks.collect::<String>())
    }

    /// Runs it in the folder of an installation; what it said is the error.
    fn run(&self, installation: &Installation) -> Result<String, String> {
        let tools = open_folder();
        let path = std::env::var_os("PATH").unwrap();
        fs::write(tools.path().join("wildfire"), SHIM).unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tools.path().join("wildfire"), executable).unwrap();
        let mut shell = installation.shell("sh", &["-c", &self.script()]);
        shell
            .env(
                "PATH",
                format!("{}:{}", tools.path().display(), path.display()),
            )
            .env("WILDFIRE_PROGRAM", env!("CARGO_BIN_EXE_wildfire"))
            .env("WILDFIRE_CALLED_AS", "wildfire");
        let output = shell.output().unwrap();
        stop_all(installation, installation.path());
        let said = stdout(&output) + &stderr(&output);
        if output.status.success() {
            Ok(said)
        } else {
            Err(said)
        }
    }
}

/// `start` on free ports, except those that a page names.
const SHIM: &str = r#"#!/bin/sh
if [ "$1" = start ] || [ "$1" = doctor ]; then
  names="port app-port db-port"
  # Production keeps no mail unless it is told to.
  [ "${WILDFIRE_ENV:-}" = production ] || names="$names mail-port"
  for name in $names; do
    case " $*" in *" --$name"*) ;; *) set -- "$@" "--$name=0" ;; esac
  done
fi
exec "$WILDFIRE_PROGRAM" "$@"
"#;

/// Stops what a page left running, also where a command failed.
fn stop_all(installation: &Installation, folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if entry.file_name() == "wildfire.json" {
            let mut stop = installation.command(&["stop", "--data-dir"]);
            _ = stop.arg(folder).output();
        } else if is_folder && entry.file_name() != "postgres" {
            stop_all(installation, &entry.path());
        }
    }
}

#[test]
fn a_page_is_run_in_order_in_one_shell_and_says_where_it_failed() {
    let text = "# Page\n\n```sh\nname=ada\ncd sub\n```\n```text\nexit 1\n```\n\n- so:\n\n  \
        ```sh\n  wildfire --version\n  test \"$name\" = ada && touch here\n  ```\n";
    let installation = Installation::new();
    installation.write("sub/file", "");
    let said = Page::parse("page.md", text).run(&installation).unwrap();
    assert!(said.contains("wildfire "), "{said}");
    assert!(installation.path().join("sub/here").exists());

    let wrong = format!("{text}\n```sh\nfalse\ntouch after\n```\n");
    let said = Page::parse("page.md", &wrong).run(&installation);
    let said = said.unwrap_err();
    assert!(said.ends_with("--- page.md, line 19\n"), "{said}");
    assert!(!installation.path().join("sub/after").exists());
}

#[test]
fn what_a_page_starts_is_stopped_after_it() {
    let installation = Installation::new();
    let page = Page::parse("page.md", "```sh\nwildfire start --detach\nfalse\n```\n");
    let said = page.run(&installation).unwrap_err();
    assert!(said.contains("Wildfire is running"), "{said}");
    let state = stack::lifecycle::running(&installation.data_dir());
    assert_eq!(state.unwrap(), None);
}

fn run_as_written(name: &str) -> String {
    let installation = Installation::new();
    installation.write("supabase/config.toml", "project_id = \"notes\"\n");
    let said = Page::read(name).run(&installation);
    said.unwrap_or_else(|said| panic!("{said}"))
}

/// A test for each page that has commands, so that none is left out.
macro_rules! pages {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[test]
            fn $test() {
                run_as_written($name);
            }
        )*

        const RUN: &[&str] = &[$($name),*];
    };
}

pages! {
    backing_up_works_as_written: "backup.md",
    installing_works_as_written: "install.md",
    keys_are_rotated_as_written: "keys.md",
    limits_are_set_as_written: "limits.md",
    monitoring_works_as_written: "monitoring.md",
    proxies_are_trusted_as_written: "proxy.md",
    stopping_works_as_written: "stop.md",
    trouble_is_looked_for_as_written: "trouble.md",
    upgrading_works_as_written: "upgrade.md",
}

#[test]
fn every_page_with_commands_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        if !Page::parse(&name, &text).blocks.is_empty() {
            names.push(name);
        }
    }
    names.sort();
    assert_eq!(names, RUN);
}
