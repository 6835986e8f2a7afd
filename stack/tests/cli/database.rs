//! A database that somebody brings.

use platform::cluster::{Binaries, Cluster, FindOptions};

use super::installation::{Installation, execute, servers_of, stderr, value};

async fn server() -> Cluster {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    Cluster::temporary(binaries).start().await.unwrap()
}

/// A database as hosting companies hand it out: its owner may make roles and is no superuser.
async fn managed() -> (Cluster, String) {
    let cluster = server().await;
    let admin = cluster.superuser_url("postgres");
    execute(
        &admin,
        "create role owner login createrole password 'secret'",
    )
    .await;
    execute(&admin, "create database managed owner owner").await;
    let url = cluster.url("owner", "secret", "managed");
    (cluster, url)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_ones_own_is_migrated_and_used() {
    let cluster = server().await;
    let admin = cluster.superuser_url("postgres");
    let installation = Installation::new();
    let process = installation.start(&["--db-url", &admin]);
    assert_eq!(process.state.db_port, None);
    assert_eq!(servers_of(&installation.data_dir()), 0);
    assert_eq!(
        value(&admin, "select count(*)::text from auth.users").await,
        "0"
    );
    drop(process);
    // The roles keep the password this installation gave them.
    installation.start(&["--db-url", &admin]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_without_superuser_rights_is_enough() {
    let (_cluster, url) = managed().await;
    let installation = Installation::new();
    installation.start(&["--db-url", &url]);
    let owner = "select tableowner::text from pg_tables
      where schemaname = 'auth' and tablename = 'users'";
    assert_eq!(value(&url, owner).await, "supabase_auth_admin");
    let served = "select bool_and(has_table_privilege('supabase_auth_admin', oid, 'insert'))::text
      from pg_class
      where relnamespace = '_wildfire_auth'::regnamespace
        and relname in ('mail_outbox', 'code_tries', 'code_data', 'admin_accounts')";
    assert_eq!(value(&url, served).await, "true");
    assert_eq!(value(&url, MAY_CREATE).await, "false/false");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_superuser_dropped_policies_are_back_after_the_next_migration() {
    let (cluster, url) = managed().await;
    // Here it is the superuser's name, which elsewhere nobody has.
    let superuser = "create role landlord login superuser password 'secret'";
    execute(&cluster.superuser_url("postgres"), superuser).await;
    let landlord = cluster.url("landlord", "secret", "postgres");
    execute(&landlord, "alter role supabase_admin rename to another").await;
    let installation = Installation::new();
    let migrate = || installation.run(&["migrate", "--db-url", &url]);
    let first = migrate();
    assert!(first.status.success(), "{}", stderr(&first));
    let owners = "select string_agg(distinct nspowner::regrole::text, ' ') from pg_namespace
      where nspname in ('_wildfire', 'auth', 'wildfire', 'wildfire_private')";
    assert_eq!(value(&url, owners).await, "supabase_admin");
    let policies = "select string_agg(p::text, E'\\n' order by tablename, policyname)
      from pg_policies as p where schemaname = 'wildfire'";
    let before = value(&url, policies).await;
    execute(&url, "drop policy prompts_select on wildfire.prompts").await;
    assert_ne!(value(&url, policies).await, before);
    assert!(migrate().status.success());
    assert_eq!(value(&url, policies).await, before);
}

/// Whether the auth service's role may create schemas, and what superusers call.
const MAY_CREATE: &str = "select concat_ws('/',
  has_database_privilege('supabase_auth_admin', current_database(), 'create')::text,
  has_schema_privilege('supabase_auth_admin', '_wildfire', 'create')::text)";

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_fails_leaves_no_rights_behind() {
    let (_cluster, url) = managed().await;
    execute(&url, "create schema auth").await;
    execute(&url, "create table auth.users (id text)").await;
    let output = Installation::new().run(&["migrate", "--db-url", &url]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(text.contains("auth/20260625000000_baseline"), "{text}");
    assert_eq!(value(&url, MAY_CREATE).await, "false/false");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_with_passwords_of_their_own_have_to_be_told() {
    let cluster = server().await;
    let admin = cluster.superuser_url("postgres");
    let roles = "create role authenticator login noinherit password 'known';
      create role supabase_auth_admin login noinherit password 'known'";
    execute(&admin, roles).await;
    let installation = Installation::new();
    let Err(output) = installation.try_start(&["--db-url", &admin]) else {
        panic!("it started")
    };
    assert!(output.contains("POSTGRES_PASSWORD"), "{output}");
    let installation = installation.with("POSTGRES_PASSWORD", "known");
    installation.start(&["--db-url", &admin]);
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_of_services_that_come_later_have_the_password_of_their_making() {
    let (cluster, url) = managed().await;
    let without = Installation::new().with("WILDFIRE_PROMPTS", "false");
    let first = without.run(&["migrate", "--db-url", &url]);
    assert!(first.status.success(), "{}", stderr(&first));
    let unset = "select coalesce(string_agg(rolname, ' '), '') from pg_authid
      where rolpassword is null and rolname in ('authenticator', 'supabase_auth_admin',
        'supabase_functions_admin', 'supabase_storage_admin')";
    let admin = cluster.superuser_url("postgres");
    assert_eq!(value(&admin, unset).await, "");
    let with = without.with("WILDFIRE_PROMPTS", "true");
    with.start(&["--db-url", &url]);
}

#[test]
fn an_unreachable_database_is_named_without_its_password() {
    let installation = Installation::new();
    let url = "postgres://me:hunter2@127.0.0.1:1/x?sslmode=disable";
    let output = installation.run(&["migrate", "--db-url", url]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("127.0.0.1:1") && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_us_from_a_database_is_told_with_a_way_out() {
    let cluster = server().await;
    let url = cluster.superuser_url("postgres");
    let (start, end) = url.split_once("://").unwrap();
    let (login, place) = end.rsplit_once('@').unwrap();
    let (user, _) = login.split_once(':').unwrap();
    let (server, database) = place.split_once('/').unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent.local_addr().unwrap();
    for (url, said, remedy) in [
        (
            "postgres://me:hunter2@127.0.0.1:1/x".to_owned(),
            "Nothing listens at 127.0.0.1:1",
            "Start that server",
        ),
        (
            "postgres://me:hunter2@no.such.invalid/x".to_owned(),
            "The host no.such.invalid is not known",
            "name service",
        ),
        (
            format!("{start}://{user}:hunter2@{server}/{database}"),
            "refuses the password of the role",
            "percent-encoded",
        ),
        (
            format!("{start}://nobody:hunter2@{server}/{database}"),
            "the role nobody",
            "has no such role",
        ),
        (
            format!("{start}://{login}@{server}/hunter3"),
            "has no database \"hunter3\"",
            "Create it",
        ),
        (
            format!("postgres://me:hunter2@{silent}/x"),
            "does not answer",
            "firewall",
        ),
    ] {
        let output = Installation::new().run(&["migrate", "--db-url", &url]);
        let text = stderr(&output);
        assert!(!output.status.success(), "{text}");
        assert!(
            text.contains(said) && text.contains(remedy) && !text.contains("hunter2"),
            "{said}: {text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_a_newer_version_migrated_is_refused_and_left_alone() {
    let cluster = server().await;
    let admin = cluster.superuser_url("postgres");
    let installation = Installation::new();
    drop(installation.start(&["--db-url", &admin]));
    // Upstream may be ahead: its migrations only add.
    execute(
        &admin,
        "insert into auth.schema_migrations values ('20991231000000')",
    )
    .await;
    drop(installation.start(&["--db-url", &admin]));
    let ports = ["--port=0", "--app-port=0", "--mail-port=0"];
    for (schema, scope) in [
        ("_wildfire", "wildfire_schemas"),
        ("wildfire_private", "wildfire"),
        ("_wildfire_auth", "auth_own"),
    ] {
        let newer = format!(
            "delete from _wildfire.migrations where version = '20991231000000';
             delete from wildfire_private.migrations where version = '20991231000000';
             insert into {schema}.migrations (scope, version, name, checksum)
             values ('{scope}', '20991231000000', 'from_the_future', 'x')"
        );
        execute(&admin, &newer).await;
        for (command, ports) in [("start", &ports[..]), ("migrate", &[])] {
            let arguments = [&[command, "--db-url", &admin], ports].concat();
            let output = installation.run(&arguments);
            assert!(!output.status.success());
            let text = stderr(&output);
            let name = format!("{scope}/20991231000000_from_the_future");
            assert!(text.contains(&name), "{text}");
            assert!(text.contains("start the newer version"), "{text}");
        }
    }
}

/// As on Supabase: `postgres` owns the database and makes roles, and the schemas of services belong to a
/// superuser with another name.
async fn hosted() -> (Cluster, String) {
    let cluster = server().await;
    let admin = cluster.superuser_url("postgres");
    let shape = Installation::new()
        .with("POSTGRES_PASSWORD", "known")
        .with("WILDFIRE_PROMPTS", "false");
    let made = shape.run(&["migrate", "--db-url", &admin]);
    assert!(made.status.success(), "{}", stderr(&made));
    let theirs = "alter role postgres password 'known';
      drop schema _wildfire, _wildfire_auth, supabase_migrations cascade";
    execute(&admin, theirs).await;
    let url = cluster.url("postgres", "known", "postgres");
    (cluster, url)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_like_supabases_is_used_as_postgres_or_says_which_grant_is_missing() {
    let (cluster, url) = hosted().await;
    let installation = Installation::new().with("POSTGRES_PASSWORD", "known");
    let migrate = || installation.run(&["migrate", "--db-url", &url]);
    let refused = stderr(&migrate());
    let grants = [
        "grant usage on schema auth to wildfire_owner;",
        "grant references (id), trigger on auth.users to wildfire_owner;",
    ];
    for grant in grants.iter().chain(&["WILDFIRE_PROMPTS=false"]) {
        assert!(refused.contains(grant), "{refused}");
    }
    for grant in grants {
        execute(&cluster.superuser_url("postgres"), grant).await;
    }
    let migrated = migrate();
    assert!(migrated.status.success(), "{}", stderr(&migrated));
    installation.write(
        "supabase/migrations/20240101000000_all.sql",
        "create publication everything for all tables;",
    );
    let refused = stderr(&migrate());
    assert!(
        refused.contains("all.sql, line 1, failed") && refused.contains("Let one of that server"),
        "{refused}"
    );
    installation.write(
        "supabase/migrations/20240101000000_all.sql",
        "create extension file_fdw;",
    );
    let refused = stderr(&migrate());
    assert!(
        refused.contains("create extension if not exists \"file_fdw\" with schema extensions;"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_changes_or_records_otherwise_is_refused_in_words() {
    let (cluster, url) = managed().await;
    let admin = cluster.superuser_url("managed");
    let installation = Installation::new();
    installation.write(
        "supabase/migrations/20240101000000_a.sql",
        "create table a ();",
    );
    let migrate = || stderr(&installation.run(&["migrate", "--db-url", &url]));
    let setting = "alter database managed set default_transaction_read_only = on";
    execute(&admin, setting).await;
    let refused = migrate();
    assert!(
        refused.contains("alter database \"managed\" reset default_transaction_read_only"),
        "{refused}"
    );
    let usable = "begin read write;
      alter database managed reset default_transaction_read_only;
      create schema supabase_migrations authorization owner;
      create table supabase_migrations.schema_migrations (version bigint primary key, applied boolean);
      alter table supabase_migrations.schema_migrations owner to owner;
      commit";
    execute(&admin, usable).await;
    let refused = migrate();
    assert!(
        refused.contains("version is of type bigint and not text")
            && refused.contains("schema_migrations rename to"),
        "{refused}"
    );
    let renamed = "alter table supabase_migrations.schema_migrations rename to other_migrations";
    execute(&url, renamed).await;
    assert!(migrate().contains("Applied"));
}
