//! The prompt platform beside a project with tables of the same names, and switched off.

use super::installation::{Installation, Process, execute, stderr, stdout, value};
use super::supervise::{json_of, sign_up};

/// Everything in `public` that a schema diff or generated types would show.
const IN_PUBLIC: &str = "select coalesce(string_agg(name, ' ' order by name), '')
from (
  select 'relation ' || relname from pg_class where relnamespace = 'public'::regnamespace
  union all
  select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select 'type ' || typname from pg_type
  where typnamespace = 'public'::regnamespace and typrelid = 0 and typelem = 0
  union all
  select 'policy ' || policyname from pg_policies where schemaname = 'public'
  union all
  select 'trigger ' || tgname from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = 'public'::regnamespace and not tgisinternal
) as object (name)";

/// Everything of the platform that can be in a database.
const OF_THE_PLATFORM: &str = "select coalesce(string_agg(name, ' '), '')
from (
  select nspname from pg_namespace where nspname in ('wildfire', 'wildfire_private')
  union all select tgname from pg_trigger where tgname like 'wildfire%'
  union all select evtname from pg_event_trigger where evtname like 'wildfire%'
  union all select version from _wildfire.migrations where scope like 'wildfire%'
) as object (name)";

/// A project with our names all over its `public`.
fn namesake() -> Installation {
    let installation = Installation::new();
    installation.write("supabase/config.toml", "project_id = \"namesake\"\n");
    installation.write(
        "supabase/migrations/20240101000000_create_tables.sql",
        "create table public.organizations (id int primary key, prompts text not null);
         create table public.organization_members (id int primary key);
         create table public.repositories (id int primary key);
         create table public.prompts (id int primary key, organization int references organizations);
         create table public.prompt_versions (id int primary key);
         create table public.waitlist_entries (id int primary key);
         create table public.api_usage (id int primary key);
         alter table public.prompts enable row level security;
         create policy prompts_select on public.prompts using (true);
         create function public.restore_prompt(bigint) returns int language sql as 'select 1';
         create function public.readable_organizations() returns uuid[] language sql as
           'select array[]::uuid[]';
         create function public.touch() returns trigger language plpgsql as
           'begin return new; end';
         create trigger prompts_before_insert before insert on public.prompts
           for each row execute function public.touch();
         create type public.visibility as enum ('public');",
    );
    installation.write(
        "supabase/seed.sql",
        "insert into organizations values (1, 'own'); insert into prompts values (1, 1);",
    );
    installation
}

const NAMESAKES: &str = "function readable_organizations function restore_prompt function touch \
    policy prompts_select relation api_usage relation api_usage_pkey \
    relation organization_members relation organization_members_pkey relation organizations \
    relation organizations_pkey relation prompt_versions relation prompt_versions_pkey \
    relation prompts relation prompts_pkey relation repositories relation repositories_pkey \
    relation waitlist_entries relation waitlist_entries_pkey trigger prompts_before_insert \
    type visibility";

fn bearer(token: &str) -> [(&'static str, String); 2] {
    [
        ("authorization", format!("Bearer {token}")),
        ("content-type", "application/json".to_owned()),
    ]
}

fn ask(port: u16, request: &str, token: &str, body: &str) -> String {
    let headers = bearer(token);
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    Process::ask(port, request, &headers, body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_with_tables_of_our_names_has_public_to_itself() {
    let installation = namesake();
    let mut process = installation.start(&[]);
    let port = process.state.api_port;
    let token = sign_up(port);
    let prompt = r#"{"name": "Greeting", "key": "greeting", "template": "Hello"}"#;
    let made = ask(port, "POST /api/v1/prompts", &token, prompt);
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
    assert_eq!(value(&process.database_url(), IN_PUBLIC).await, NAMESAKES);
    installation.run(&["stop"]);
    process.wait();

    let process = installation.start(&[]);
    let (port, url) = (process.state.api_port, process.database_url());
    let read = ask(port, "GET /api/v1/prompts/by-key/greeting", &token, "");
    assert_eq!(
        json_of(&read)["current_version"]["template"],
        "Hello",
        "{read}"
    );
    assert_eq!(value(&url, IN_PUBLIC).await, NAMESAKES);
    for (sql, expected) in [
        ("select prompts from public.organizations", "own"),
        ("select count(*)::text from public.prompts", "1"),
        (
            "select string_agg(key, ' ') from wildfire.prompts",
            "greeting",
        ),
    ] {
        assert_eq!(value(&url, sql).await, expected, "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_of_an_empty_project_is_empty() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let url = process.database_url();
    assert_eq!(value(&url, IN_PUBLIC).await, "");
    assert_ne!(value(&url, OF_THE_PLATFORM).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_nothing_of_it_is_there_and_every_address_says_so() {
    let installation = Installation::new();
    installation.write("supabase/.env", "WILDFIRE_PROMPTS=false\n");
    let mut process = installation.start(&[]);
    let (port, url) = (process.state.api_port, process.database_url());
    assert_eq!(process.state.app_port, None);
    assert_eq!(value(&url, OF_THE_PLATFORM).await, "");
    assert_eq!(value(&url, IN_PUBLIC).await, "");
    let token = sign_up(port);
    for path in [
        "/",
        "/api/v1/prompts",
        "/api/v1/nothing",
        "/docs",
        "/debug",
        "/hub",
    ] {
        let answer = ask(port, &format!("GET {path}"), &token, "");
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        let message = json_of(&answer)["message"].to_string();
        assert!(message.contains("WILDFIRE_PROMPTS"), "{path}: {message}");
    }
    let rest = Process::ask(port, "GET /rest/v1/", &[], "");
    assert!(rest.starts_with("HTTP/1.1 501"), "{rest}");
    let health = Process::ask(port, "GET /health", &[], "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    assert_eq!(json_of(&health)["status"], "ok");
    let keys = stdout(&installation.run(&["status", "-o", "json"]));
    let keys: serde_json::Value = serde_json::from_str(&keys).unwrap();
    for (key, status) in [("ANON_KEY", 401), ("SERVICE_ROLE_KEY", 200)] {
        let answer = ask(port, "GET /metrics", keys[key].as_str().unwrap(), "");
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{key}: {answer}"
        );
    }
    let secret = [("apikey", keys["SECRET_KEY"].as_str().unwrap())];
    let metrics = Process::ask(port, "GET /metrics", &secret, "");
    assert!(metrics.contains("wildfire_http_"), "{metrics}");
    installation.run(&["stop"]);
    process.wait();

    // Switched on, it has everybody who came before; switched off again, it keeps what it has.
    installation.write("supabase/.env", "WILDFIRE_PROMPTS=true\n");
    let mut process = installation.start(&[]);
    let url = process.database_url();
    let organizations = "select string_agg(slug, ' ') from wildfire.organizations";
    assert_eq!(value(&url, organizations).await, "ada");
    installation.run(&["stop"]);
    process.wait();
    installation.write("supabase/.env", "WILDFIRE_PROMPTS=false\n");
    let process = installation.start(&[]);
    assert_eq!(value(&process.database_url(), organizations).await, "ada");
    let answer = ask(process.state.api_port, "GET /api/v1/prompts", &token, "");
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
}

#[test]
fn the_switch_is_on_or_off() {
    let installation = Installation::new().with("WILDFIRE_PROMPTS", "maybe");
    let output = installation.run(&["migrate"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("WILDFIRE_PROMPTS") && text.contains("maybe"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_of_an_earlier_build_is_refused_until_it_is_reset() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    let earlier =
        "update _wildfire.migrations set scope = 'public' where scope = 'wildfire_schemas'";
    execute(&administrator(&process), earlier).await;
    installation.run(&["stop"]);
    process.wait();

    let Err(output) = installation.try_start(&[]) else {
        panic!("it started")
    };
    assert!(
        output.contains("public/") && output.contains("another version"),
        "{output}"
    );
    assert!(output.contains("wildfire db reset"), "{output}");
    let reset = installation.run(&["db", "reset", "--yes"]);
    assert!(reset.status.success(), "{}", stderr(&reset));
    installation.start(&[]);
}

/// The URL of the superuser, who has the password of the role postgres.
fn administrator(process: &Process) -> String {
    process
        .database_url()
        .replace("postgres:postgres@", "supabase_admin:postgres@")
}
