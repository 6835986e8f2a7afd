//! A project's roles, migrations and seeds.

use std::process::Stdio;

use super::installation::{Installation, Process, execute, servers_of, stderr, value};
use super::supervise::{sign_up, wait_until};

const HISTORY: &str = "select coalesce(string_agg(version || ' ' || name || ' ' ||
    array_to_string(statements, '|'), E'\\n' order by version), '')
  from supabase_migrations.schema_migrations";

fn project() -> Installation {
    let installation = Installation::new();
    installation.write("supabase/config.toml", "project_id = \"notes\"\n");
    installation.write("supabase/roles.sql", "create role reporter nologin;");
    installation.write(
        "supabase/migrations/20240101000000_create_notes.sql",
        "create table public.notes (id int primary key, body text);\n\
         grant select on public.notes to reporter;\n",
    );
    installation.write(
        "supabase/seed.sql",
        "insert into public.notes values (1, 'first; note');",
    );
    installation
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_applied_once_and_recorded_as_the_cli_does() {
    let installation = project();
    let mut process = installation.start(&[]);
    let url = process.database_url();
    assert_eq!(
        value(&url, HISTORY).await,
        "20240101000000 create_notes create table public.notes (id int primary key, body text)|\
         grant select on public.notes to reporter"
    );
    let seeds = "select string_agg(path, ' ' order by path) from supabase_migrations.seed_files";
    assert_eq!(
        value(&url, seeds).await,
        "supabase/roles.sql supabase/seed.sql"
    );
    let owner = "select tableowner::text from pg_tables where tablename = 'notes'";
    assert_eq!(value(&url, owner).await, "postgres");
    installation.run(&["stop"]);
    process.wait();

    installation.write(
        "supabase/migrations/20240102000000_more.sql",
        "create table more (owner uuid references auth.users);",
    );
    installation.write(
        "supabase/seed.sql",
        "insert into public.notes values (2, 'changed');",
    );
    let process = installation.start(&[]);
    let url = process.database_url();
    assert_eq!(
        value(&url, "select count(*)::text from public.notes").await,
        "1"
    );
    assert_eq!(value(&url, "select count(*)::text from more").await, "0");
    assert!(
        process.output().contains("wildfire db reset"),
        "{}",
        process.output()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_migration_is_named_with_its_line_and_undone() {
    let installation = project();
    let path = "supabase/migrations/20240102000000_wrong.sql";
    installation.write(path, "create table half ();\nselekt 1;\n");
    let Err(output) = installation.try_start(&[]) else {
        panic!("it started")
    };
    assert!(output.contains(&format!("{path}, line 2,")), "{output}");

    installation.write(path, "create table half ();\n");
    let process = installation.start(&[]);
    assert_eq!(
        value(&process.database_url(), "select count(*)::text from half").await,
        "0"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_fails_says_where_and_what_of_it_stays() {
    let installation = project();
    let path = "supabase/migrations/20240102000000_wrong.sql";
    for (sql, line, remains) in [
        // What Postgres tells no position of.
        (
            "create table one ();\n\n-- again\ncreate table one ();\n",
            4,
            "what it did has been undone",
        ),
        (
            "create table two ();\ncommit;\ncreate table two ();\n",
            3,
            "before line 2 has been done and stays",
        ),
        (
            "create table three (id int);\ncreate index concurrently on three (id);\n",
            2,
            "stand in a file of its own",
        ),
        (
            "create index concurrently on four (id);\n",
            1,
            "outside a transaction",
        ),
        (
            "create table five (id int unique deferrable initially deferred);\n\
             insert into five values (1), (1);\n",
            2,
            "what it did has been undone",
        ),
    ] {
        installation.write(path, sql);
        let failed = installation.run(&["migrate"]);
        let text = stderr(&failed);
        assert!(!failed.status.success(), "{sql}: {text}");
        assert!(
            text.contains(&format!("{path}, line {line}, failed")) && text.contains(remains),
            "{sql}: {text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_made_concurrently_has_a_file_of_its_own() {
    let installation = project();
    installation.write(
        "supabase/migrations/20240102000000_table.sql",
        // With the mark of an editor of Windows, and its ends of lines.
        "\u{feff}-- Many.\r\ncreate table many (id int);\n",
    );
    installation.write(
        "supabase/migrations/20240103000000_index.sql",
        "-- Takes long.\ncreate index concurrently if not exists many_id on many (id);\n",
    );
    let process = installation.start(&[]);
    let url = process.database_url();
    let valid = "select indisvalid::text from pg_index where indexrelid = 'many_id'::regclass";
    assert_eq!(value(&url, valid).await, "true");
    let recorded = "select statements[1] from supabase_migrations.schema_migrations
      where version = '20240103000000'";
    assert!(
        value(&url, recorded)
            .await
            .contains("create index concurrently")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_starts_over_after_asking() {
    let installation = project();
    let mut process = installation.start(&[]);
    execute(&process.database_url(), "create table scratch ()").await;
    installation.run(&["stop"]);
    process.wait();

    let unasked = installation.run(&["db", "reset"]);
    assert!(stderr(&unasked).contains("--yes"), "{}", stderr(&unasked));
    let reset = installation.run(&["db", "reset", "--yes"]);
    assert!(reset.status.success(), "{}", stderr(&reset));
    let process = installation.start(&[]);
    let url = process.database_url();
    assert_eq!(
        value(&url, "select to_regclass('scratch')::text is null || ''").await,
        "true"
    );
    assert_eq!(
        value(&url, "select body from public.notes").await,
        "first; note"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_that_cannot_make_another_database_keeps_the_one_there_is() {
    let installation = project();
    let mut process = installation.start(&[]);
    execute(&process.database_url(), "create table scratch ()").await;
    installation.run(&["stop"]);
    process.wait();

    let mut command = installation.command(&["db", "reset"]);
    let output = command.env("WILDFIRE_PG_BIN", "/nonexistent").output();
    let text = stderr(&output.unwrap());
    // Before anybody is asked anything.
    assert!(
        text.contains("/nonexistent") && !text.contains("--yes"),
        "{text}"
    );

    let path = "supabase/migrations/20240102000000_wrong.sql";
    installation.write(path, "selekt 1;\n");
    let reset = installation.run(&["db", "reset", "--yes"]);
    assert!(!reset.status.success());
    assert!(stderr(&reset).contains(path), "{}", stderr(&reset));

    std::fs::remove_file(installation.path().join(path)).unwrap();
    let process = installation.start(&[]);
    let scratch = "select count(*)::text from scratch";
    assert_eq!(value(&process.database_url(), scratch).await, "0");
    let left = installation.left_behind();
    assert!(left.iter().all(|name| !name.contains("reset")), "{left:?}");
}

const SCRATCH: &str = "select to_regclass('scratch') is null || ''";

#[tokio::test(flavor = "multi_thread")]
async fn a_running_installation_goes_on_with_the_database_that_a_reset_made() {
    let installation = project();
    let process = installation.start(&[]);
    let url = process.database_url();
    execute(&url, "create table scratch ()").await;
    let port = process.state.api_port;
    let bearer = format!("Bearer {}", sign_up(port));
    let me = || Process::ask(port, "GET /auth/v1/user", &[("authorization", &bearer)], "");
    assert!(me().starts_with("HTTP/1.1 200"));

    let path = "supabase/migrations/20240102000000_wrong.sql";
    installation.write(path, "selekt 1;\n");
    let failed = installation.run(&["db", "reset", "--yes"]);
    assert!(stderr(&failed).contains(path), "{}", stderr(&failed));
    assert_eq!(value(&url, SCRATCH).await, "false");
    std::fs::remove_file(installation.path().join(path)).unwrap();

    let mut reset = installation.command(&["db", "reset", "--yes"]);
    let reset = reset.env("POSTGRES_PASSWORD", "another").output().unwrap();
    assert!(stderr(&reset).contains("environment"), "{}", stderr(&reset));
    assert_eq!(value(&url, SCRATCH).await, "false");

    let reset = installation.run(&["db", "reset", "--yes"]);
    assert!(reset.status.success(), "{}", stderr(&reset));
    assert_eq!(value(&url, SCRATCH).await, "true");
    let seeded = "select body from public.notes";
    assert_eq!(value(&url, seeded).await, "first; note");
    wait_until("whoever was signed in still is", || {
        let answer = me();
        !answer.starts_with("HTTP/1.1 200") && !answer.starts_with("HTTP/1.1 503")
    });
    sign_up(port);
    assert_eq!(servers_of(&installation.data_dir()), 1);
    let left = installation.left_behind();
    assert!(left.iter().all(|name| !name.contains("reset")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_that_is_broken_off_has_changed_nothing_and_leaves_nothing_for_long() {
    let installation = project();
    let mut process = installation.start(&[]);
    let url = process.database_url();
    execute(&url, "create table scratch ()").await;
    let path = "supabase/migrations/20240102000000_slow.sql";
    installation.write(path, "select pg_sleep(600);\n");
    let mut reset = installation.command(&["db", "reset", "--yes"]);
    let mut reset = reset.stderr(Stdio::piped()).spawn().unwrap();
    let beside = installation.data_dir().join("postgres.reset/postgres");
    wait_until("it never began", || beside.join("postmaster.pid").exists());
    let second = installation.run(&["db", "reset", "--yes"]);
    assert!(stderr(&second).contains("Another"), "{}", stderr(&second));
    reset.kill().unwrap();
    reset.wait().unwrap();
    assert_eq!(value(&url, SCRATCH).await, "false");

    std::fs::remove_file(installation.path().join(path)).unwrap();
    installation.run(&["stop"]);
    process.wait();
    let process = installation.start(&[]);
    assert_eq!(value(&process.database_url(), SCRATCH).await, "false");
    let left = installation.left_behind();
    assert!(left.iter().all(|name| !name.contains("reset")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_works_on_a_running_installation() {
    let installation = project();
    let process = installation.start(&[]);
    installation.write(
        "supabase/migrations/20240102000000_more.sql",
        "create table more (owner uuid references auth.users);",
    );
    let migrated = installation.run(&["migrate"]);
    let said = stderr(&migrated);
    assert!(migrated.status.success(), "{said}");
    assert!(said.contains("20240102000000_more.sql"), "{said}");
    let more = "select count(*)::text from more";
    assert_eq!(value(&process.database_url(), more).await, "0");
    sign_up(process.state.api_port);

    // As another version writes it.
    let path = installation.data_dir().join("wildfire.json");
    let state = std::fs::read_to_string(&path).unwrap();
    let own = format!("\"{}\"", process.state.version);
    std::fs::write(&path, state.replace(&own, "\"0.0.9\"")).unwrap();
    for arguments in [&["migrate"][..], &["db", "reset", "--yes"]] {
        let said = stderr(&installation.run(arguments));
        assert!(
            said.contains("Wildfire 0.0.9 runs") && said.contains("wildfire stop"),
            "{said}"
        );
    }
}

#[test]
fn migrate_works_without_serving() {
    let installation = project();
    let migrated = installation.run(&["migrate"]);
    assert!(migrated.status.success(), "{}", stderr(&migrated));
    assert!(
        stderr(&migrated).contains("create_notes.sql"),
        "{}",
        stderr(&migrated)
    );
}
