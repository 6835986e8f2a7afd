//! What somebody who has a service's password in the database can make of the next upgrade.

use platform::pg::migrate::{Ledger, Migrations, refuse_strangers, run_all};
use platform::pg::{Client, Executor, column};
use platform_test::TestDatabase;
use stack::SERVICES;

use super::upgrade::{forget_policies, upgrade, urls};

const AUTH: &str = "supabase_auth_admin";

async fn number(client: &Client, sql: &'static str) -> i64 {
    column(&client.query_one(sql, &[]).await.unwrap(), "n").unwrap()
}

/// Objects of the auth service's role that try to make it a superuser when somebody touches them.
const PLANTED: &str = "
create table auth.seen (who text);
grant insert on auth.seen to public;
create function auth.rise() returns trigger language plpgsql as $$
begin
  insert into auth.seen values (session_user || '/' || current_user);
  begin
    execute 'reset role';
    execute 'alter role supabase_auth_admin superuser';
  exception when others then
    null;
  end;
  begin
    execute 'set session authorization supabase_admin';
    execute 'alter role supabase_auth_admin superuser';
  exception when others then
    null;
  end;
  return null;
end
$$;
create trigger rise after insert or update or delete on auth.schema_migrations
  for each statement execute function auth.rise();
create constraint trigger rise_late after insert or update or delete on auth.schema_migrations
  deferrable initially deferred for each row execute function auth.rise();
create trigger rise after insert or update or delete on auth.identities
  for each statement execute function auth.rise();
create trigger rise after insert or update or delete on auth.users
  for each statement execute function auth.rise();
create function auth.spy() returns boolean language plpgsql as $$
begin
  insert into auth.seen values (session_user || '/' || current_user);
  return true;
end
$$;
create or replace function auth.uid() returns uuid language sql as
  'select case when auth.spy() then gen_random_uuid() end';
create or replace function auth.jwt() returns jsonb language sql as
  'select case when auth.spy() then jsonb_build_object() end';
create trigger rise after insert or update or delete on _wildfire_auth.migrations
  for each statement execute function auth.rise();
create trigger rise after insert or update or delete on _wildfire_auth.admin_accounts
  for each statement execute function auth.rise();";

#[tokio::test]
async fn what_a_role_left_on_its_tables_does_not_make_it_a_superuser_at_an_upgrade() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    // As before an upgrade that brings these files.
    let forget = "delete from auth.schema_migrations where version > '20260';
      delete from _wildfire_auth.migrations;
      drop event trigger wildfire_keep_policies;
      drop schema wildfire, wildfire_private cascade;
      drop table _wildfire.policies;
      drop function _wildfire.keep_policies, _wildfire.restore_policies,
        _wildfire.remember_policies;
      delete from _wildfire.migrations where scope like 'wildfire%'";
    client.batch(forget).await.unwrap();
    let intruder = database.pool(AUTH).client().await.unwrap();
    intruder.batch(PLANTED).await.unwrap();
    let ada = "insert into auth.users (id, email) values (gen_random_uuid(), 'ada@example.com')";
    intruder.batch(ada).await.unwrap();
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    let applied = run_all(parts, &mut client, &urls(&database)).await.unwrap();
    for scope in ["auth/", "auth_own/", "wildfire_schemas/", "wildfire/"] {
        assert!(
            applied.iter().any(|it| it.starts_with(scope)),
            "{applied:?}"
        );
    }
    let made = "select count(*) as n from wildfire.organizations where slug = 'ada'";
    assert_eq!(number(&client, made).await, 1);
    let superuser = "select count(*) as n from pg_roles
      where rolname = 'supabase_auth_admin' and rolsuper";
    assert_eq!(number(&client, superuser).await, 0);
    let fired = "select count(*) as n from auth.seen";
    assert!(number(&client, fired).await > 0);
    let risen = "select count(*) as n from auth.seen
      where who not in ('supabase_auth_admin/supabase_auth_admin',
        'wildfire_owner/wildfire_owner')";
    assert_eq!(number(&client, risen).await, 0);
}

/// As a project's owner, who may do with the platform's tables what their owner may.
const PLANTED_BY_THE_PROJECT: &str = "
create table public.seen (who text, is_superuser boolean);
grant insert on public.seen to public;
create function public.rise() returns trigger language plpgsql as $$
begin
  insert into public.seen
  select session_user || '/' || current_user, bool_or(rolsuper) from pg_roles
  where rolname in (session_user, current_user);
  return null;
end
$$;
do $$
declare
  planted regclass;
begin
  for planted in
    select oid from pg_class
    where relkind = 'r'
      and relnamespace in ('wildfire'::regnamespace, 'wildfire_private'::regnamespace)
  loop
    execute format('create trigger rise before insert or update or delete on %s
      for each statement execute function public.rise()', planted);
  end loop;
end
$$;";

#[tokio::test]
async fn what_a_projects_owner_left_on_the_platforms_tables_runs_as_their_owner_at_an_upgrade() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    forget_policies(&client).await;
    let project = database.pool("postgres").client().await.unwrap();
    project.batch(PLANTED_BY_THE_PROJECT).await.unwrap();
    let applied = upgrade(&database, &mut client).await;
    assert_eq!(applied.len(), 2, "{applied:?}");
    let whose = "select count(*) as n from public.seen where who = 'wildfire_owner/wildfire_owner'";
    assert!(number(&client, whose).await > 1);
    let others = "select count(*) as n from public.seen
      where who <> 'wildfire_owner/wildfire_owner' or is_superuser";
    assert_eq!(number(&client, others).await, 0);
}

#[tokio::test]
async fn the_tests_database_has_the_parts_that_the_services_define() {
    let told = |part: &Migrations| {
        let ledger = match part.ledger {
            Ledger::Own(schema) => schema,
            Ledger::Upstream(table) => table.name,
        };
        (part.scope, part.owner, part.lock, ledger)
    };
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    let defined: Vec<_> = parts.map(told).collect();
    let made: Vec<_> = platform_test::parts().iter().map(told).collect();
    assert_eq!(made, defined);
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    let applied = run_all(parts, &mut client, &urls(&database)).await.unwrap();
    assert!(applied.is_empty(), "{applied:?}");
}

/// As the auth service's role: what a planner would run where it is found before Postgres' own.
const PLANTED_ON_THE_PATH: &str = "
create function auth.rise_at_once() returns boolean language plpgsql volatile as $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    execute 'alter role supabase_auth_admin superuser';
  end if;
  return true;
end
$$;
create function auth.boom(i int) returns boolean language plpgsql immutable as
  $$ begin return auth.rise_at_once(); end $$;
create function auth.has_database_privilege(a name, b text) returns boolean
  language sql immutable as $$ select auth.boom(1) $$;
create function auth.pg_try_advisory_lock(a text) returns boolean
  language sql immutable as $$ select auth.boom(1) $$;
grant execute on all functions in schema auth to public;";

#[tokio::test]
async fn what_a_role_left_on_the_path_is_not_found_by_a_start() {
    let database = TestDatabase::create().await;
    let intruder = database.pool(AUTH).client().await.unwrap();
    intruder.batch(PLANTED_ON_THE_PATH).await.unwrap();
    let mut client = database.administrator().await;
    let all = SERVICES.iter().flat_map(|service| service.migrations);
    let scopes: Vec<_> = all.map(|part| part.scope).chain(["roles"]).collect();
    refuse_strangers(&client, "_wildfire", &scopes)
        .await
        .unwrap();
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    run_all(parts, &mut client, &urls(&database)).await.unwrap();
    let superuser = "select count(*) as n from pg_roles
      where rolname = 'supabase_auth_admin' and rolsuper";
    assert_eq!(number(&client, superuser).await, 0);
    // And nobody migrates in a session that finds it.
    let searching = database.superuser().await;
    let refused = refuse_strangers(&searching, "_wildfire", &scopes).await;
    assert!(refused.is_err());
}

/// As a project's owner: a schema that the script of an extension searches first.
const PLANTED_FOR_A_SCRIPT: &str = "
create schema evil;
create function evil.rise() returns void language plpgsql as $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    execute 'alter role supabase_etl_admin superuser';
  end if;
end
$$;
create function evil.eq(a oid, b regclass) returns boolean language plpgsql as
  $$ begin perform evil.rise(); return a operator(pg_catalog.=) b::oid; end $$;
create operator evil.= (leftarg = oid, rightarg = regclass, function = evil.eq);
create function evil.eq(a text, b text) returns boolean language plpgsql as
  $$ begin perform evil.rise(); return a operator(pg_catalog.=) b; end $$;
create operator evil.= (leftarg = text, rightarg = text, function = evil.eq);
create function evil.to_regnamespace(name text) returns regnamespace language plpgsql as
  $$ begin perform evil.rise(); return null; end $$;
create function evil.check(value text) returns boolean language plpgsql as
  $$ begin perform evil.rise(); return true; end $$;
grant usage on schema evil to public;
create extension hstore with schema evil;
drop extension hstore;
create domain pg_temp.regclass as pg_catalog.regclass check (evil.check(value::pg_catalog.text));
create domain pg_temp.text as pg_catalog.text check (evil.check(value));
create domain pg_temp.uuid as pg_catalog.uuid check (evil.check(value::pg_catalog.text));
create extension hstore with schema evil;
drop policy prompts_select on wildfire.prompts";

/// What a pooler asks, with a type of its own.
const PLANTED_BY_THE_POOLER: &str = "set role pgbouncer;
create domain pg_temp.text as pg_catalog.text check (evil.check(value));
select * from pgbouncer.get_auth('postgres');
reset role";

#[tokio::test]
async fn what_watches_changes_finds_nothing_in_the_schema_of_an_extension() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    // A project's own database lets its owner make schemas.
    let let_make = "do $$ begin
        execute format('grant create on database %I to postgres', current_database());
      end $$";
    client.batch(let_make).await.unwrap();
    let project = database.pool("postgres").client().await.unwrap();
    project.batch(PLANTED_FOR_A_SCRIPT).await.unwrap();
    let pooler = database.superuser().await;
    pooler.batch(PLANTED_BY_THE_POOLER).await.unwrap();
    let superuser = "select count(*) as n from pg_roles
      where rolname = 'supabase_etl_admin' and rolsuper";
    assert_eq!(number(&client, superuser).await, 0);
    let kept = "select count(*) as n from pg_policies where policyname = 'prompts_select'";
    assert_eq!(number(&client, kept).await, 1);
    // Temporary things come last for whatever runs with more rights than its caller's.
    let searching = "select count(*) as n from pg_proc as p
      join pg_namespace as n on n.oid = p.pronamespace
      where (p.prosecdef or p.prorettype = 'event_trigger'::regtype)
        and n.nspname not in ('pg_catalog', 'information_schema')
        and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)";
    assert_eq!(number(&client, searching).await, 0);
}

#[tokio::test]
async fn what_watches_changes_does_so_where_triggers_are_off() {
    let database = TestDatabase::create().await;
    let project = database.pool("postgres").client().await.unwrap();
    let dropped = "set session_replication_role = replica;
      drop policy prompts_select on wildfire.prompts";
    project.batch(dropped).await.unwrap();
    let kept = "select count(*) as n from pg_policies where policyname = 'prompts_select'";
    assert_eq!(number(&project, kept).await, 1);
    let others = "select count(*) as n from pg_event_trigger where evtenabled <> 'A'";
    assert_eq!(number(&project, others).await, 0);
}
