//! The schema over what older servers left behind.

use platform::pg::{Client, DbError, Executor};

use crate::app::TestApp;

/// The schema as the first release of 2017 made it, with one confirmed user.
const FIRST_RELEASE: &str = "
drop schema auth cascade;
create schema auth;
create table auth.users (
  instance_id uuid, id uuid primary key, aud varchar(255), role varchar(255),
  email varchar(255) constraint users_email_key unique, encrypted_password varchar(255),
  confirmed_at timestamptz, invited_at timestamptz, confirmation_token varchar(255),
  confirmation_sent_at timestamptz, recovery_token varchar(255), recovery_sent_at timestamptz,
  email_change_token varchar(255), email_change varchar(255), email_change_sent_at timestamptz,
  last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
  is_super_admin boolean, created_at timestamptz, updated_at timestamptz
);
create index users_instance_id_email_idx on auth.users (instance_id, email);
create table auth.refresh_tokens (
  instance_id uuid, id bigserial primary key, token varchar(255), user_id varchar(255),
  revoked boolean, created_at timestamptz, updated_at timestamptz
);
create index refresh_tokens_token_idx on auth.refresh_tokens (token);
create table auth.instances (
  id uuid primary key, uuid uuid, raw_base_config text, created_at timestamptz,
  updated_at timestamptz
);
create table auth.audit_log_entries (
  instance_id uuid, id uuid primary key, payload json, created_at timestamptz
);
create table auth.schema_migrations (version varchar(255) primary key);
insert into auth.schema_migrations values ('20171026211738'), ('20180125194653');
insert into auth.users
  (instance_id, id, aud, role, email, encrypted_password, confirmed_at, confirmation_token,
   recovery_token, email_change_token, email_change, created_at, updated_at)
values ('00000000-0000-0000-0000-000000000000', '0f0c0f0a-0000-4000-8000-000000000001',
  'authenticated', 'authenticated', 'old@example.com',
  '$2a$04$FS02ZzqaDb745p9eF5knKO5B88OlcZqhl653aj1HduwVRw.PjMYKm', now(), '', '', '', '', now(),
  now())";

/// Every table, column, constraint and index of the schema, as one text each.
async fn catalog(client: &Client) -> Vec<String> {
    let sql = "
select 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable
    || ' ' || coalesce(column_default, '') || coalesce(generation_expression, '') as fact
from information_schema.columns where table_schema = 'auth'
union all
select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'auth'::regnamespace and contype <> 'n'
union all
select 'index ' || indexdef from pg_indexes where schemaname = 'auth'
order by fact";
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// What the service itself runs at its start.
async fn migrate(client: &mut Client) -> Result<Vec<String>, DbError> {
    let mut applied = Vec::new();
    for migrations in gotrue::SERVICE.migrations {
        applied.extend(migrations.run(client).await?);
    }
    Ok(applied)
}

/// What is kept beside upstream's schema.
const OWN: [&str; 3] = [
    "auth_own/20261121000000_create_own_tables",
    "auth_own/20261122000000_create_admin_accounts",
    "auth_own/20261122010000_create_code_data",
];

#[tokio::test]
async fn upstreams_record_holds_upstreams_versions_and_no_other() {
    let app = TestApp::spawn().await;
    let versions = "select version from auth.schema_migrations order by version";
    let rows = app.query(versions, &[]).await;
    let versions: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(versions.len(), 70);
    assert_eq!(versions.last().unwrap(), "20260625000000");
}

#[tokio::test]
async fn a_database_with_a_newer_table_of_our_own_is_refused() {
    let app = TestApp::spawn().await;
    let mut client = app.database.administrator().await;
    let newer = "insert into _wildfire_auth.migrations (scope, version, name, checksum)
      values ('auth_own', '20991231000000', 'from_the_future', 'x')";
    client.batch(newer).await.unwrap();
    let mut own = app.database.to_migrate("supabase_auth_admin").await;
    for client in [&mut client, &mut own] {
        let refused = migrate(client).await.unwrap_err().to_string();
        assert!(
            refused.contains("newer than this program")
                && refused.contains("auth_own/20991231000000_from_the_future"),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn the_services_own_role_finds_everything_applied() {
    let app = TestApp::spawn().await;
    let mut own = app.database.to_migrate("supabase_auth_admin").await;
    assert!(migrate(&mut own).await.unwrap().is_empty());
}

#[tokio::test]
async fn where_the_service_may_not_create_anything_the_owner_is_asked() {
    let app = TestApp::spawn().await;
    let superuser = app.database.administrator().await;
    let mut own = app.database.to_migrate("supabase_auth_admin").await;
    for taken_away in [
        "drop schema _wildfire_auth cascade",
        "create schema _wildfire_auth",
        "grant usage on schema _wildfire_auth to supabase_auth_admin",
    ] {
        superuser.batch(taken_away).await.unwrap();
        let refused = migrate(&mut own).await.unwrap_err().to_string();
        assert!(
            refused.contains("supabase_auth_admin") && refused.contains("wildfire migrate"),
            "{taken_away}: {refused}"
        );
    }
}

#[tokio::test]
async fn the_first_release_is_brought_up_to_date() {
    let app = TestApp::spawn().await;
    let mut client = app.database.administrator().await;
    let fresh = catalog(&client).await;
    assert!(fresh.len() > 300, "{}", fresh.len());
    client.batch(FIRST_RELEASE).await.unwrap();
    assert_eq!(
        migrate(&mut client).await.unwrap(),
        ["auth/20260625000000_baseline"]
    );
    assert_eq!(catalog(&client).await, fresh);
    assert!(migrate(&mut client).await.unwrap().is_empty());
    let versions = "select count(*) from auth.schema_migrations";
    assert_eq!(app.count(versions).await, 72);
    let user = app.sign_in("old@example.com").await.user;
    assert_eq!(user["identities"][0]["provider"], "email");
    assert!(user["email_confirmed_at"].is_string());
}

#[tokio::test]
async fn a_second_run_over_the_final_schema_changes_nothing() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    let mut client = app.database.administrator().await;
    let before = catalog(&client).await;
    client
        .batch("delete from auth.schema_migrations")
        .await
        .unwrap();
    migrate(&mut client).await.unwrap();
    assert_eq!(catalog(&client).await, before);
    app.sign_in("a@example.com").await;
}

#[tokio::test]
async fn a_database_of_upstreams_gets_what_is_missing_from_the_services_own_role() {
    let app = TestApp::spawn().await;
    let superuser = app.database.administrator().await;
    superuser
        .batch(
            "drop schema _wildfire_auth cascade;
             insert into auth.users (id, email, invited_at, encrypted_password) values
               (gen_random_uuid(), 'invited@example.com', now(), ''),
               (gen_random_uuid(), 'strangers@example.com', now(), 'hash'),
               (gen_random_uuid(), 'unknown@example.com', null, '');
             do $$ begin
               execute format('grant create on database %I to supabase_auth_admin',
                 current_database());
             end $$",
        )
        .await
        .unwrap();
    let mut own = app.database.to_migrate("supabase_auth_admin").await;
    assert_eq!(migrate(&mut own).await.unwrap(), OWN);
    let known = "select string_agg(u.email, ',') from _wildfire_auth.admin_accounts as a
      join auth.users as u on u.id = a.user_id";
    let known: Option<String> = app.query(known, &[]).await[0].get(0);
    assert_eq!(known.as_deref(), Some("invited@example.com"));
    app.sign_up("ada@example.com").await;
    let body = serde_json::json!({ "email": "ada@example.com" });
    app.post("/recover", body).await.ok();
    assert_eq!(app.mails().len(), 1);
    let readers = "select count(*) from pg_roles as r
      where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
        and has_schema_privilege(r.oid, '_wildfire_auth', 'usage')";
    assert_eq!(app.count(readers).await, 0);
}
