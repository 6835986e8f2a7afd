//! Where the tables stand and whose they are: a project has `public` to itself, no function has a
//! superuser's rights, and what the Supabase CLI drops does not take the platform along.

use platform::pg::{Executor as _, SqlState, column};
use serde_json::json;

use crate::api::Api;

/// Names of everything that a diff of `public` or generated types would show.
const IN_PUBLIC: &str = "select coalesce(string_agg(name, ', ' order by name), '') as found
from (
  select relname::text from pg_class where relnamespace = 'public'::regnamespace
  union all select proname from pg_proc where pronamespace = 'public'::regnamespace
  union all select typname from pg_type where typnamespace = 'public'::regnamespace
) as object (name)";

const OWNERS: &str = "select string_agg(
  nspname || ' ' || pg_get_userbyid(nspowner), ', ' order by nspname) as found
from pg_namespace where nspname in ('wildfire', 'wildfire_private', '_wildfire', 'auth')";

/// Functions and tables of the platform that anybody but their owner has.
const STRANGERS: &str = "select coalesce(string_agg(name, ', '), '') as found
from (
  select proname::text, pronamespace, proowner from pg_proc
  union all
  select relname::text, relnamespace, relowner from pg_class where relkind in ('r', 'S')
) as object (name, namespace, owner)
where namespace in ('wildfire'::regnamespace, 'wildfire_private'::regnamespace)
  and owner <> 'wildfire_owner'::regrole";

const POLICIES: &str = "select string_agg(p::text, E'\\n' order by tablename, policyname) as found
from pg_policies as p where schemaname = 'wildfire'";

/// How many of the platform's policies are not there.
const GONE: &str = "select count(*) from _wildfire.policies as kept
where not exists (select from pg_policies as p where p.policyname = kept.name)";

/// What `supabase migration down` and `supabase db reset --db-url` do before they apply a project's
/// migrations again (`pkg/migration/queries/drop.sql` of the CLI).
const DROP_USER_SCHEMAS: &str = r"do $$
declare
  one record;
begin
  for one in
    select nspname from pg_namespace
    where nspowner::regrole::text <> 'supabase_admin'
      and not nspname like any (array['information\_schema', 'pg\_%', '\_analytics', '\_realtime',
        '\_supavisor', 'pgbouncer', 'pgmq', 'pgsodium', 'pgtle', 'supabase\_migrations', 'vault',
        'extensions', 'public'])
  loop
    execute format('drop schema if exists %I cascade', one.nspname);
  end loop;
  for one in
    select oid::regclass as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
  loop
    execute format('drop table if exists %s cascade', one.name);
  end loop;
  for one in
    select oid::regclass as name from pg_class
    where relnamespace = 'auth'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
  loop
    execute format('truncate %s cascade', one.name);
  end loop;
  for one in select * from pg_policies loop
    execute format('drop policy if exists %I on %I.%I', one.policyname, one.schemaname,
      one.tablename);
  end loop;
end
$$";

async fn found(api: &Api, sql: &str) -> String {
    // So that definitions name the schema of everything.
    let client = api.database.superuser().await;
    client.batch("set search_path = ''").await.unwrap();
    column(
        &client
            .query_one(platform_test::sql(sql), &[])
            .await
            .unwrap(),
        "found",
    )
    .unwrap()
}

#[actix_web::test]
async fn nothing_of_the_platform_stands_in_public() {
    let api = Api::start().await;
    assert_eq!(found(&api, IN_PUBLIC).await, "");
}

#[actix_web::test]
async fn the_schemas_are_the_administrators_and_what_is_in_them_is_an_owners_of_its_own() {
    let api = Api::start().await;
    let owners = "_wildfire supabase_admin, auth supabase_admin, wildfire supabase_admin, \
                  wildfire_private supabase_admin";
    assert_eq!(found(&api, OWNERS).await, owners);
    assert_eq!(found(&api, STRANGERS).await, "");
    let client = api.database.pool("postgres").client().await.unwrap();
    for sql in [
        "create or replace function _wildfire.restore_policies() returns void language sql as ''",
        "select _wildfire.restore_policies()",
        "select _wildfire.remember_policies('wildfire.prompts', array['mine'])",
        "insert into _wildfire.policies values ('wildfire', 'prompts', 'x', 'select 1')",
        "drop schema wildfire cascade",
        "drop schema wildfire_private cascade",
        "drop schema _wildfire cascade",
        "drop event trigger wildfire_keep_policies",
    ] {
        let error = client.batch(sql).await.unwrap_err();
        assert_eq!(
            error.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{sql}: {error}"
        );
    }
}

#[actix_web::test]
async fn what_the_cli_drops_leaves_a_platform_that_works_and_is_closed() {
    let api = Api::start().await;
    api.sql(
        "insert into wildfire.organizations (slug, name) values ('examples', 'Examples');
         create schema mine authorization postgres;
         create table public.organizations ();
         alter table public.organizations owner to postgres;",
    )
    .await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "greeting", "Hello").await;
    let before = found(&api, POLICIES).await;
    assert!(before.contains("prompts_select"), "{before}");

    let postgres = api.database.pool("postgres").client().await.unwrap();
    postgres.batch(DROP_USER_SCHEMAS).await.unwrap();
    assert_eq!(found(&api, IN_PUBLIC).await, "");
    assert_eq!(
        api.number("select count(*) from pg_namespace where nspname = 'mine'")
            .await,
        0
    );
    assert_eq!(found(&api, POLICIES).await, before);
    // With its members went what only they could reach.
    let slugs = "select string_agg(slug, ',') as found from wildfire.organizations";
    assert_eq!(found(&api, slugs).await, "examples");
    assert_eq!(api.number("select count(*) from wildfire.prompts").await, 0);

    let grace = api.user("grace@example.com").await;
    let eve = api.user("eve@example.com").await;
    let prompt = api.prompt(&grace, "greeting", "Hello again").await;
    let path = format!("/api/v1/prompts/{}", prompt["id"]);
    let read = api.get(&path).by(&grace).expect(200).await;
    assert_eq!(read["current_version"]["template"], json!("Hello again"));
    api.get(&path).by(&eve).expect(404).await;
}

#[actix_web::test]
async fn a_project_role_that_may_nothing_here_drops_its_own_policies() {
    let api = Api::start().await;
    let client = api.database.superuser().await;
    let mut other = client;
    let tx = other.begin();
    tx.batch(
        "create schema mine authorization anon;
         set local role anon;
         create table mine.notes ();
         create policy own on mine.notes using (true);
         drop policy own on mine.notes;",
    )
    .await
    .unwrap();
    tx.rollback().await.unwrap();
}

#[actix_web::test]
async fn a_policy_that_a_migration_replaces_stays_replaced() {
    let api = Api::start().await;
    let count = "select count(*) from pg_policies where policyname = 'prompts_delete'";
    api.sql("drop policy prompts_delete on wildfire.prompts")
        .await;
    assert_eq!(api.number(count).await, 1);
    api.sql(
        "delete from _wildfire.policies where name = 'prompts_delete';
         drop policy prompts_delete on wildfire.prompts;",
    )
    .await;
    assert_eq!(api.number(count).await, 0);
    api.sql(
        "create policy prompts_delete on wildfire.prompts for delete to authenticated using (false);
         select _wildfire.remember_policies('wildfire.prompts', array['prompts_delete']);
         drop policy prompts_delete on wildfire.prompts;",
    )
    .await;
    let closed = "select count(*) from pg_policies
        where policyname = 'prompts_delete' and qual = 'false'";
    assert_eq!(api.number(closed).await, 1);
}

#[actix_web::test]
async fn the_owner_of_the_tables_may_nothing_elsewhere() {
    let api = Api::start().await;
    api.user("ada@example.com").await;
    let owner = api.database.pool("wildfire_owner").client().await.unwrap();
    for sql in [
        "select email from auth.users",
        "select encrypted_password from auth.users",
        "update auth.users set email = 'eve@example.com'",
        "create table public.mine ()",
        "create schema mine",
        "create role mine",
        "set role postgres",
        "set role supabase_auth_admin",
        "set role authenticated",
        "insert into _wildfire.migrations (scope) values ('mine')",
        "create function _wildfire.mine() returns int language sql as 'select 1'",
    ] {
        let error = owner.batch(sql).await.unwrap_err();
        assert_eq!(
            error.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{sql}: {error}"
        );
    }
    let attributes = "select (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or
      rolreplication)::text as found from pg_roles where rolname = 'wildfire_owner'";
    assert_eq!(found(&api, attributes).await, "false");
}

#[actix_web::test]
async fn a_policy_that_goes_with_something_else_comes_back() {
    let api = Api::start().await;
    assert_eq!(api.number(GONE).await, 0);
    // Takes the policies along that are for this role alone.
    api.sql("drop owned by authenticated").await;
    assert_eq!(api.number(GONE).await, 0);
}

#[actix_web::test]
async fn a_policy_that_cannot_be_made_again_keeps_nothing_else_from_being_made() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let prompt = api.prompt(&ada, "greeting", "Hello").await;
    api.sql("drop function wildfire_private.owned_organizations() cascade")
        .await;
    let missing = api.number(GONE).await;
    assert!(missing > 0);
    api.sql("drop policy prompts_select on wildfire.prompts")
        .await;
    assert_eq!(api.number(GONE).await, missing);
    let path = format!("/api/v1/prompts/{}", prompt["id"]);
    api.get(&path).by(&ada).expect(200).await;
    let told = "select string_agg(warning, ' ') as found
      from _wildfire.restore_policies() as warning";
    let told = found(&api, told).await;
    assert!(told.contains("repositories_update"), "{told}");
    assert!(!told.contains("prompts_select"), "{told}");
}

#[actix_web::test]
async fn a_projects_own_policy_is_not_remembered_with_the_platforms() {
    let api = Api::start().await;
    api.sql(
        "create policy mine on wildfire.prompts for select to authenticated using (true);
         select _wildfire.remember_policies('wildfire.prompts', array['prompts_delete']);
         drop policy mine on wildfire.prompts;",
    )
    .await;
    let count = "select count(*) from pg_policies where policyname = 'mine'";
    assert_eq!(api.number(count).await, 0);
}
