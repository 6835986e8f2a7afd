//! Projects as people have them (`stack/tests/projects`), which have to start unchanged, and again.

use std::fs;
use std::path::{Path, PathBuf};

use super::installation::{Installation, Process, execute, stderr, value};

/// What a project's database says after its second start, by the project's folder.
const PROOFS: &[(&str, &str, &str)] = &[
    (
        "chat",
        "select array_to_string(array(select tablename::text from pg_publication_tables
          where pubname = 'supabase_realtime' order by 1), ' ')",
        "channels messages users",
    ),
    (
        "concurrent_index",
        "select string_agg(indexrelid::regclass || ' ' || indisvalid, ', ' order by indexrelid::regclass::text) from pg_index
          where indrelid = 'events'::regclass and not indisprimary",
        "events_id_kind true, events_kind_idx true",
    ),
    (
        "dump",
        "select (select string_agg(body, ' ' order by id) from notes) || ', ' ||
          (select relrowsecurity from pg_class where oid = 'later'::regclass)",
        "first; note it's, true",
    ),
    (
        "event_triggers",
        "select string_agg(relname || ' ' || relrowsecurity, ', ' order by relname) || ', ' ||
            (select string_agg(evtname || ' ' || evtowner::regrole, ', ' order by evtname)
             from pg_event_trigger where evtowner = 'postgres'::regrole)
          from pg_class where relname in ('secured', 'also_secured')",
        "also_secured true, secured true, ensure_rls postgres, pgrst_watch_all postgres",
    ),
    (
        "extensions",
        "select count(*)::text || has_foreign_data_wrapper_privilege('postgres', 'postgres_fdw', 'usage')
          from pg_extension where extowner = 'postgres'::regrole",
        "27true",
    ),
    (
        "publications",
        "select string_agg(pubname || ' ' || puballtables || ' ' || pubupdate || ' ' || pubowner::regrole,
            ', ' order by pubname)
          from pg_publication where pubname in ('powersync', 'warehouse')",
        "powersync false true postgres, warehouse false false postgres",
    ),
    (
        "settings",
        "select current_setting('app.settings.service_role_key') || ' ' ||
          pg_has_role('reporting', 'pg_read_all_data', 'usage') || ' ' ||
          (select rolconfig @> array['pgrst.db_max_rows=500', 'statement_timeout=10s']
           from pg_roles where rolname = 'authenticator')",
        "service-key false true",
    ),
    (
        "subscriptions",
        "select has_table_privilege('webhook', 'subscriptions', 'insert') || ' ' ||
          (select count(*) from pg_publication_tables where pubname = 'supabase_realtime')",
        "true 2",
    ),
    (
        "todo",
        "select count(*) || ' ' || min(t.task) from todos as t join auth.users as u on u.id = t.user_id",
        "1 Buy milk; and bread",
    ),
    (
        "user_management",
        "select count(*)::text from pg_trigger where tgrelid = 'auth.users'::regclass
          and tgname = 'on_auth_user_created'",
        "1",
    ),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects")
}

/// The project's files in a folder of their own.
fn copy_of(kind: &str) -> Installation {
    let installation = Installation::new();
    let mut folders = vec![folder().join(kind)];
    while let Some(from) = folders.pop() {
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder().join(kind)).unwrap();
            installation.write(name.to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        }
    }
    installation
}

fn started_twice(installation: &Installation) -> Process {
    let migrated = installation.run(&["migrate"]);
    assert!(migrated.status.success(), "{}", stderr(&migrated));
    let process = installation.start(&[]);
    let again = process.output();
    assert!(!again.contains("Applied"), "{again}");
    process
}

#[test]
fn every_project_has_a_proof() {
    let entries = fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    let proved: Vec<_> = PROOFS.iter().map(|(kind, _, _)| *kind).collect();
    assert_eq!(names, proved);
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_start_unchanged_and_again() {
    for (kind, question, answer) in PROOFS {
        println!("{kind}");
        let installation = copy_of(kind);
        let process = started_twice(&installation);
        let url = process.database_url();
        assert_eq!(value(&url, question).await, *answer, "{kind}");
        let superusers = "select string_agg(rolname, ' ') from pg_roles where rolsuper";
        assert_eq!(value(&url, superusers).await, "supabase_admin", "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_reaches_itself_needs_the_password_of_who_it_becomes() {
    let installation = Installation::new().with("POSTGRES_PASSWORD", "kept from projects");
    let process = installation.start(&[]);
    let port = process.state.db_port.unwrap();
    let url = format!("postgresql://postgres:kept%20from%20projects@127.0.0.1:{port}/postgres");
    let extensions = "create extension dblink with schema extensions;
      create extension postgres_fdw with schema extensions;
      create function said(statement text) returns text language plpgsql as $$
      declare
        detail text;
      begin
        execute statement;
        return 'done';
      exception when others then
        get stacked diagnostics detail = pg_exception_detail;
        return sqlerrm || ' ' || detail;
      end $$";
    execute(&url, extensions).await;
    let server = format!("host ''127.0.0.1'', port ''{port}'', dbname ''postgres''");
    let server = server.replace("''", "'");
    execute(
        &url,
        &format!(
            "create server again foreign data wrapper postgres_fdw options ({server});
         create server passing foreign data wrapper postgres_fdw
           options ({server}, use_scram_passthrough 'true');
         create user mapping for postgres server again options (user 'supabase_admin');
         create user mapping for postgres server passing options (user 'supabase_admin');
         create foreign table again (n int) server again options (table_name 'pg_authid');
         create foreign table passing (n int) server passing options (table_name 'pg_authid')"
        ),
    )
    .await;
    let connection = format!("host=127.0.0.1 port={port} dbname=postgres user=supabase_admin");
    for statement in [
        format!("select dblink_connect('{connection}')"),
        format!("select dblink_connect_u('{connection}')"),
        format!("select dblink_connect('{connection} passfile=/etc/passwd')"),
        format!("select dblink_connect('{connection} password=guessed')"),
        "select * from again".to_owned(),
        "select * from passing".to_owned(),
        "alter user mapping for postgres server again options (add password_required 'false')"
            .to_owned(),
    ] {
        let quoted = statement.replace('\'', "''");
        let said = value(&url, &format!("select said('{quoted}')")).await;
        assert!(
            [
                "password",
                "permission denied",
                "could not establish connection"
            ]
            .iter()
            .any(|reason| said.contains(reason)),
            "{statement}: {said}"
        );
        println!("{statement}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_embedded_postgres_has_not_or_gives_nobody_is_said_with_what_to_do() {
    let installation = Installation::new();
    let path = "supabase/migrations/20240101000000_wants.sql";
    for (sql, line, remedy) in [
        (
            "create table a ();\n\ncreate extension if not exists vector\n  with schema extensions;",
            3,
            "does not come with vector. Name a Postgres that has it with --db-url",
        ),
        (
            "create extension \"postgis/../x\"",
            1,
            "invalid extension name",
        ),
        (
            "create extension file_fdw;",
            1,
            "a project may not have it, as on Supabase",
        ),
        (
            "select 1;\ninsert into storage.buckets (id, name) values ('avatars', 'avatars');",
            2,
            "no storage service yet",
        ),
        (
            "create table b ();\n\ncreate event trigger x\n  on ddl_command_end\n  execute function missing();\n",
            3,
            "function \"missing()\" does not exist",
        ),
        (
            "create function f() returns event_trigger language plpgsql as 'begin null; end';\n\
             create event trigger x\n  on sql_drop\n  execute function f();\nselekt 1;\n",
            5,
            "syntax error",
        ),
        (
            "create function f() returns event_trigger language plpgsql as 'begin null; end';\n\n\
             create event trigger x on login execute function f();\n",
            3,
            "event triggers on login are not available",
        ),
    ] {
        installation.write(path, sql);
        let failed = installation.run(&["migrate"]);
        let text = stderr(&failed);
        assert!(
            text.contains(&format!("{path}, line {line}, failed")) && text.contains(remedy),
            "{sql}: {text}"
        );
        println!("{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_was_broken_off_is_made_again() {
    let installation = copy_of("concurrent_index");
    let process = installation.start(&[]);
    // As when the process ended in the middle of it.
    let broken_off = "delete from supabase_migrations.schema_migrations where version > '20240102';
      drop index events_id_kind";
    execute(&process.database_url(), broken_off).await;
    let administrator = process
        .database_url()
        .replace("//postgres:", "//supabase_admin:");
    let invalid = "update pg_index set indisvalid = false
      where indexrelid = 'events_kind_idx'::regclass";
    execute(&administrator, invalid).await;
    installation.run(&["stop"]);
    drop(process);

    let process = installation.start(&[]);
    let url = process.database_url();
    let valid = "select count(*)::text from pg_index
      where indrelid = 'events'::regclass and indisvalid";
    assert_eq!(value(&url, valid).await, "3");
    // Made, and the process ended before that was recorded.
    let unrecorded = "delete from supabase_migrations.schema_migrations where version > '20240103'";
    execute(&url, unrecorded).await;
    installation.run(&["stop"]);
    drop(process);
    let Err(said) = installation.try_start(&[]) else {
        panic!("it started")
    };
    assert!(
        said.contains("unique.sql, line 1, failed") && said.contains("add `if not exists`"),
        "{said}"
    );
}
