//! The operator's pages do what they say: every `sh` block of a page in `docs/operate/` is run, in the
//! order of the page and in one shell, as somebody does who types it all.
//!
//! A page begins in a project's folder. In place of `wildfire` there is a shim that lets `start` pick
//! free ports (`doctor` looks at the same). What cannot be run on any machine (a service file, a line of
//! a crontab) stands in a block of another language (`ini`, `text`); what needs more than a test has at
//! hand in `sh <what>`, which a test of its own runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use platform::cluster::{Binaries, Cluster, FindOptions, SUPPORTED_MAJORS};

use super::installation::{Installation, execute, stderr, stdout, value};
use super::{left_out, open_folder};

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
    /// The blocks of a page of `docs/operate/` in this language.
    fn read(name: &str, wanted: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate");
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let page = Self::parse(name, wanted, &text);
        assert!(!page.blocks.is_empty(), "{name} has no commands");
        page
    }

    fn parse(name: &str, wanted: &str, text: &str) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut language = None;
        for (line, text) in text.lines().enumerate() {
            match (text.trim_start().strip_prefix("```"), language) {
                (Some(_), Some(_)) => language = None,
                (Some(opened), None) => {
                    language = Some(opened);
                    if opened == wanted {
                        let text = String::new();
                        blocks.push(Block { line, text });
                    }
                }
                (None, Some(language)) if language == wanted => {
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
        fs::write(tools.path().join("wildfire"), SHIM).unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tools.path().join("wildfire"), executable).unwrap();
        let mut shell = installation.shell("sh", &["-c", &self.script()]);
        let path = shell.get_envs().find(|(name, _)| *name == "PATH");
        let path = path.and_then(|(_, path)| path).unwrap().display();
        let path = format!("{}:{path}", tools.path().display());
        shell
            .env("PATH", path)
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
    let said = Page::parse("page.md", "sh", text)
        .run(&installation)
        .unwrap();
    assert!(said.contains("wildfire "), "{said}");
    assert!(installation.path().join("sub/here").exists());

    let wrong = format!("{text}\n```sh\nfalse\ntouch after\n```\n");
    let said = Page::parse("page.md", "sh", &wrong).run(&installation);
    let said = said.unwrap_err();
    assert!(said.ends_with("--- page.md, line 19\n"), "{said}");
    assert!(!installation.path().join("sub/after").exists());
}

#[test]
fn what_a_page_starts_is_stopped_after_it() {
    let installation = Installation::new();
    let page = Page::parse(
        "page.md",
        "sh",
        "```sh\nwildfire start --detach\nfalse\n```\n",
    );
    let said = page.run(&installation).unwrap_err();
    assert!(said.contains("Wildfire is running"), "{said}");
    let state = stack::lifecycle::running(&installation.data_dir());
    assert_eq!(state.unwrap(), None);
}

fn run_as_written(name: &str) -> String {
    let installation = Installation::new();
    installation.write("supabase/config.toml", "project_id = \"notes\"\n");
    let said = Page::read(name, "sh").run(&installation);
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
        if !Page::parse(&name, "sh", &text).blocks.is_empty() {
            names.push(name);
        }
    }
    names.sort();
    assert_eq!(names, RUN);
}

/// A system's Postgres that has `pg_dump`, which the embedded one lacks.
fn with_tools() -> Option<Binaries> {
    let mut folders = SUPPORTED_MAJORS
        .rev()
        .map(|major| PathBuf::from(format!("/usr/lib/postgresql/{major}/bin")));
    let bin = folders.find(|bin| bin.join("pg_dump").exists())?;
    let options = FindOptions {
        bin: Some(bin),
        ..FindOptions::detect()
    };
    Binaries::find(&options).ok()
}

/// Of a project: every new table is commented on.
const WITH_AN_EVENT_TRIGGER: &str = "
create schema rules authorization postgres;
create table public.kept as select 'kept' as v;
grant create on schema public to postgres;
set role postgres;
create function rules.label() returns event_trigger language plpgsql as $$
begin
  execute (select format('comment on table %s is ''first''', object_identity)
    from pg_event_trigger_ddl_commands());
end
$$;
select _wildfire.create_event_trigger('label', 'ddl_command_end', array['CREATE TABLE'],
  'rules.label()')";

const CHANGED: &str = "
set session authorization postgres;
create or replace function rules.label() returns event_trigger language plpgsql as $$
begin
  execute (select format('comment on table %s is ''second''', object_identity)
    from pg_event_trigger_ddl_commands());
end
$$;
create table public.later ()";

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_ones_own_is_saved_and_restored_as_the_page_says() {
    let Some(tools) = with_tools() else {
        left_out("there is no pg_dump in /usr/lib/postgresql");
        return;
    };
    let path = std::env::var_os("PATH").unwrap();
    let path = format!("{}:{}", tools.bin().display(), path.display());
    let old = Cluster::temporary(tools.clone()).start().await.unwrap();
    let new = Cluster::temporary(tools).start().await.unwrap();
    let (old, new) = (
        &old.superuser_url("postgres"),
        &new.superuser_url("postgres"),
    );
    let installation = Installation::new().with("PATH", &path);
    let migrated = installation.run(&["migrate", "--db-url", old]);
    assert!(migrated.status.success(), "{}", stderr(&migrated));
    execute(old, WITH_AN_EVENT_TRIGGER).await;
    let installation = installation
        .with("DATABASE_URL", old)
        .with("NEW_DATABASE_URL", new);
    let said = Page::read("backup.md", "sh external").run(&installation);
    let said = said.unwrap_or_else(|said| panic!("{said}"));
    assert!(said.contains("Wildfire is running"), "{said}");
    assert_eq!(value(new, "select v from public.kept").await, "kept");
    let owner = "select evtowner::regrole::text from pg_event_trigger where evtname = 'label'";
    assert_eq!(value(new, owner).await, "postgres");
    execute(new, CHANGED).await;
    let labels = "select obj_description('public.later'::regclass)";
    assert_eq!(value(new, labels).await, "second");
    let dropped = "set role postgres; drop event trigger label; drop function rules.label()";
    execute(new, dropped).await;
}
