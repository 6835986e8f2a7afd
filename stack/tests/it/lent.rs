//! What the administrator lends a project's owner, and what can be made of it: event triggers, publications
//! of all tables.

use platform::pg::{Client, Executor, column};
use platform_test::TestDatabase;

use super::upgrade::{forget_policies, upgrade};

/// A database whose owner may make schemas and extensions, and the owner's connection.
async fn project() -> (TestDatabase, Client) {
    let database = TestDatabase::create().await;
    let let_make = "do $$ begin
        execute format('grant create on database %I to postgres', current_database());
      end $$";
    database.superuser().await.batch(let_make).await.unwrap();
    let project = database.pool("postgres").client().await.unwrap();
    (database, project)
}

async fn text(client: &Client, sql: &'static str) -> String {
    column(&client.query_one(sql, &[]).await.unwrap(), "it").unwrap()
}

async fn refusal(client: &Client, sql: &'static str) -> String {
    let error = client.batch(sql).await.unwrap_err();
    error.message().unwrap_or_default().to_owned()
}

/// Who became a superuser that was none.
const RISEN: &str = "select coalesce(string_agg(rolname, ' ' order by rolname), '') as it
  from pg_roles where rolsuper and rolname <> 'supabase_admin'";

const SEEN: &str = "select coalesce(string_agg(distinct who, ' ' order by who), '') as it
  from public.seen";

/// Tries all ways up that code has which runs while a superuser's script does.
const CLIMBER: &str = "
create schema evil;
grant usage on schema evil to public;
create domain evil.event_trigger as pg_catalog.int4;
create table public.seen (who text);
grant insert on public.seen to public;
create function evil.check(value text) returns boolean language plpgsql as $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    execute 'alter role postgres superuser';
  end if;
  return true;
end
$$;
create function evil.eq(a name, b name) returns boolean language plpgsql as
  $$ begin perform evil.check('x'); return false; end $$;
create operator evil.= (leftarg = name, rightarg = name, function = evil.eq);
create function evil.pg_has_role(a name, b name, c text) returns boolean language plpgsql as
  $$ begin return evil.check('x'); end $$;
create function public.climb() returns event_trigger language plpgsql
security definer set search_path = evil, pg_temp, public, pg_catalog
as $$
begin
  if tg_tag = 'CREATE DOMAIN' then
    return;
  end if;
  insert into public.seen values (session_user || '/' || current_user);
  begin
    execute 'reset role';
    execute 'alter role postgres superuser';
  exception when others then
    null;
  end;
  begin
    execute 'set session authorization supabase_admin';
    execute 'alter role postgres superuser';
  exception when others then
    null;
  end;
  begin
    create domain pg_temp.name as pg_catalog.name check (evil.check(value::pg_catalog.text));
    create domain pg_temp.text as pg_catalog.text check (evil.check(value));
    create domain pg_temp.bool as pg_catalog.bool check (evil.check(value::pg_catalog.text));
  exception when others then
    null;
  end;
  perform set_config('search_path', 'evil, pg_temp, pg_catalog', false);
end -- as good as the first
$$;
select _wildfire.create_event_trigger('climb', 'ddl_command_end', null, 'public.climb()');
select _wildfire.create_event_trigger('climb_first', 'ddl_command_start', null, 'public.climb()');
select _wildfire.create_event_trigger('climb_down', 'sql_drop', null, 'public.climb()');";

#[tokio::test]
async fn an_event_trigger_of_a_project_does_not_run_where_a_superuser_does() {
    let (database, project) = project().await;
    project.batch(CLIMBER).await.unwrap();
    let changes = "create table public.a ();
      create extension citext with schema evil;
      drop extension citext;
      create extension hstore with schema evil;
      select _wildfire.create_publication('everything', null, null);
      alter publication everything set (publish = 'insert');
      drop table public.a";
    project.batch(changes).await.unwrap();
    assert_eq!(text(&project, SEEN).await, "postgres/postgres");

    // Upgrades, ours and the prompt platform's.
    let mut administrator = database.administrator().await;
    forget_policies(&administrator).await;
    let applied = upgrade(&database, &mut administrator).await;
    assert_eq!(applied.len(), 2, "{applied:?}");

    // Somebody who may do everything and acts as the project's owner for a while.
    let acting = "set role postgres; create table public.b (); drop table public.b; reset role";
    let superuser = database.superuser().await;
    superuser.batch(acting).await.unwrap();
    assert_eq!(text(&superuser, SEEN).await, "postgres/postgres");
    assert_eq!(text(&superuser, RISEN).await, "");
}

#[tokio::test]
async fn an_event_trigger_of_a_project_does_what_it_is_there_for() {
    let (_database, project) = project().await;
    let made = "create function public.ensure_rls() returns event_trigger language plpgsql
      security definer set search_path = pg_catalog as $$
      #variable_conflict use_column
      declare
        command record;
      begin
        for command in select * from pg_event_trigger_ddl_commands()
          where object_type = 'table' and schema_name = 'public'
        loop
          execute format('alter table if exists %s enable row level security', command.object_identity);
        end loop;
      end; $$;
      select _wildfire.create_event_trigger('ensure_rls', 'ddl_command_end', array['CREATE TABLE'],
        'public.ensure_rls()');
      create table public.a ();
      alter event trigger ensure_rls disable;
      create table public.b ();
      alter event trigger ensure_rls enable;
      alter event trigger ensure_rls rename to always_rls;
      comment on event trigger always_rls is 'as its owner may'";
    project.batch(made).await.unwrap();
    let secured = "select string_agg(relname || '=' || relrowsecurity, ' ' order by relname) as it
      from pg_class where relname in ('a', 'b', 'c', 'd') and relnamespace = 'public'::regnamespace";
    assert_eq!(text(&project, secured).await, "a=true b=false");

    // Another source, of the same function by another name: the trigger has it at once.
    let changed = "alter function public.ensure_rls() rename to ensure;
      create schema checks;
      alter function public.ensure() set schema checks;
      alter schema checks rename to rules;
      create or replace function rules.ensure() returns event_trigger language plpgsql
      as 'begin null; end'; create table public.c ()";
    project.batch(changed).await.unwrap();
    assert_eq!(text(&project, secured).await, "a=true b=false c=false");
    let said = refusal(&project, "drop function rules.ensure()").await;
    assert!(said.contains("other objects depend on it"), "{said}");
    let dropped = "drop function rules.ensure() cascade; create table public.d ();
      drop event trigger if exists always_rls";
    project.batch(dropped).await.unwrap();
    let left = "select count(*)::text as it from pg_event_trigger where evtname = 'always_rls'";
    assert_eq!(text(&project, left).await, "0");
}

#[tokio::test]
async fn an_event_trigger_that_could_get_out_of_its_block_is_refused() {
    let (database, project) = project().await;
    let functions = "set check_function_bodies = off;
      create schema given;
      grant create on schema given to anon;
      create function public.open() returns event_trigger language plpgsql as
        'begin null; end; exception when others then alter role postgres superuser; end';
      create function public.half() returns event_trigger language plpgsql as
        'null; end; begin null';
      create function public.unfinished() returns event_trigger language plpgsql as
        'begin null; end /*';
      create function public.quoting() returns event_trigger language plpgsql as
        $$begin perform '\\'; exception when query_canceled then null; --'
          end$$;
      create function public.setting() returns event_trigger language plpgsql
        set session_authorization = 'postgres' as 'begin null; end';
      create function given.others() returns event_trigger language plpgsql as 'begin null; end';
      create function pg_temp.temporary() returns event_trigger language plpgsql as
        'begin null; end';
      create function public.plain() returns trigger language plpgsql as 'begin return null; end';
      create function given.right() returns event_trigger language plpgsql as 'begin null; end';
      alter function given.others() owner to anon;
      reset check_function_bodies";
    project.batch(functions).await.unwrap();
    for (sql, reason) in [
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'public.open()')",
            "syntax error",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'public.half()')",
            "syntax error",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'public.unfinished()')",
            "unterminated",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'public.setting()')",
            "settings",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'given.others()')",
            "belongs to anon",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'pg_temp.temporary()')",
            "is temporary",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'sql_drop', null, 'public.plain()')",
            "event_trigger",
        ),
        (
            "select _wildfire.create_event_trigger('x', 'login', null, 'given.right()')",
            "login",
        ),
        (
            "set role anon; select _wildfire.create_event_trigger('x', 'sql_drop', null, 'given.right()')",
            "permission denied",
        ),
        (
            "select _wildfire.copy_event_function('given.right()'::regprocedure)",
            "permission denied",
        ),
        (
            "select _wildfire.give_to_project('table auth.users')",
            "permission denied",
        ),
    ] {
        let said = refusal(&project, sql).await;
        project.batch("reset role").await.unwrap();
        assert!(said.contains(reason), "{sql}: {said}");
    }
    // A source that reads otherwise where backslashes escape is read as it was looked at.
    let quoting = "set standard_conforming_strings = off;
      select _wildfire.create_event_trigger('quoting', 'sql_drop', null, 'public.quoting()');
      create table public.gone (); drop table public.gone;
      reset standard_conforming_strings";
    project.batch(quoting).await.unwrap();
    // Nor can it be changed to one of those, or given away, afterwards.
    let made = "select _wildfire.create_event_trigger('right', 'sql_drop', null, 'given.right()')";
    project.batch(made).await.unwrap();
    for sql in [
        "set check_function_bodies = off;
         create or replace function given.right() returns event_trigger language plpgsql as
           'begin null; end; exception when others then alter role postgres superuser; end'",
        "alter function given.right() owner to anon",
        "alter function given.right() set session_authorization = 'postgres'",
        "drop function _wildfire.follow_event_functions() cascade",
        "create or replace function _wildfire.event_function_1() returns event_trigger
           language plpgsql as 'begin null; end'",
        "alter event trigger \"right\" owner to anon",
        "drop event trigger follow_event_functions",
    ] {
        assert_ne!(refusal(&project, sql).await, "", "{sql}");
    }
    let copies = "do $$
      declare copy text;
      begin
        for copy in select oid::regprocedure from pg_proc where proname ~ '^event_function_' loop
          begin
            execute 'create or replace function ' || copy ||
              ' returns event_trigger language plpgsql as ''begin null; end''';
            raise 'replaced';
          exception when insufficient_privilege then null;
          end;
        end loop;
      end $$";
    project.batch(copies).await.unwrap();
    let superuser = database.superuser().await;
    assert_eq!(text(&superuser, RISEN).await, "");
}

#[tokio::test]
async fn a_publication_of_all_tables_belongs_to_the_project() {
    let (database, project) = project().await;
    let made = "create schema notes;
      create table public.a (id int primary key);
      select _wildfire.create_publication('everything', null, '{\"publish\": \"insert, update\"}');
      select _wildfire.create_publication('\"Some\"', array['notes', 'public'], '{}');
      alter publication everything set (publish = 'insert');
      alter publication everything rename to all_inserts;
      drop publication \"\"\"Some\"\"\"";
    project.batch(made).await.unwrap();
    let publication = "select format('%s %s %s %s', puballtables, pubinsert, pubupdate,
        pubowner::regrole) as it
      from pg_publication where pubname = 'all_inserts'";
    assert_eq!(text(&project, publication).await, "t t f postgres");
    assert_eq!(text(&project, RISEN).await, "");
    project.batch("drop publication all_inserts").await.unwrap();
    // Where updates are published, a table without a key cannot be changed any more.
    let keyless = "select coalesce(string_agg(c.oid::regclass::text, ' '), '') as it
      from pg_class as c
      where c.relkind in ('r', 'p') and c.relreplident = 'd'
        and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
        and not exists (select from pg_index as i where i.indrelid = c.oid and i.indisprimary)";
    assert_eq!(text(&database.superuser().await, keyless).await, "");
    let made = refusal(
        &project,
        "select _wildfire.create_publication('x', array['nowhere'], '{}')",
    );
    assert!(made.await.contains("nowhere"));
}

#[tokio::test]
async fn projects_of_one_server_borrow_at_once() {
    let make = async || {
        let (_database, project) = project().await;
        for _ in 0..20 {
            let made = "select _wildfire.create_publication('everything', null, '{}');
              drop publication everything";
            project.batch(made).await.unwrap();
        }
    };
    tokio::join!(make(), make(), make());
}

#[tokio::test]
async fn a_function_that_event_triggers_ran_can_be_dropped_after_them() {
    let (_database, project) = project().await;
    for dropped in ["drop function public.f()", "drop routine public.f()"] {
        let made = "create function public.f() returns event_trigger language plpgsql as
            'begin null; end';
          select _wildfire.create_event_trigger('one', 'sql_drop', null, 'public.f()');
          select _wildfire.create_event_trigger('two', 'ddl_command_end', null, 'public.f()');
          drop event trigger one";
        project.batch(made).await.unwrap();
        let said = refusal(&project, dropped).await;
        assert!(said.contains("other objects depend on it"), "{said}");
        project.batch("drop event trigger two").await.unwrap();
        project.batch(dropped).await.unwrap();
    }
}

#[tokio::test]
async fn event_triggers_that_a_restore_left_to_the_superuser_are_the_projects_again() {
    let (database, project) = project().await;
    let made = "create function public.f() returns event_trigger language plpgsql as
        'begin null; end';
      select _wildfire.create_event_trigger('watch', 'sql_drop', null, 'public.f()')";
    project.batch(made).await.unwrap();
    let administrator = database.administrator().await;
    let left = "alter event trigger watch owner to supabase_admin";
    administrator.batch(left).await.unwrap();
    assert!(
        refusal(&project, "drop event trigger watch")
            .await
            .contains("owner")
    );
    let restored = "select count(*)::text as it from _wildfire.restore_event_triggers()";
    assert_eq!(text(&administrator, restored).await, "0");
    project.batch("drop event trigger watch").await.unwrap();
    assert_eq!(text(&project, RISEN).await, "");
}

/// Breaks off in the moment in which the project's owner is a superuser.
const INTERRUPTED: &str = "
create function public.interrupt() returns event_trigger language plpgsql as $$
begin
  if not (select rolsuper from pg_roles where rolname = 'postgres') then
    return;
  elsif current_setting('app.interrupt', true) = 'error' then
    raise 'interrupted';
  elsif current_setting('app.interrupt', true) = 'cancel' then
    perform pg_cancel_backend(pg_backend_pid());
    perform pg_sleep(60);
  end if;
end
$$;
create event trigger interrupt on ddl_command_end when tag in ('ALTER PUBLICATION')
  execute function public.interrupt()";

#[tokio::test]
async fn a_loan_that_is_broken_off_leaves_nobody_a_superuser() {
    let (database, project) = project().await;
    database.superuser().await.batch(INTERRUPTED).await.unwrap();
    let kept = "create table public.caught (how text, rose bool, climbed bool);
      create function public.borrow(how text) returns void language plpgsql as $$
      declare
        climbed boolean := false;
      begin
        perform set_config('app.interrupt', how, true);
        begin
          perform _wildfire.create_publication('everything', null, '{}');
        exception when raise_exception or query_canceled then
          begin
            alter role postgres superuser;
            climbed := true;
          exception when insufficient_privilege then null;
          end;
          insert into public.caught
          select how, rolsuper, climbed from pg_roles where rolname = 'postgres';
        end;
      end
      $$;
      select public.borrow('error'); select public.borrow('cancel')";
    project.batch(kept).await.unwrap();
    let caught = "select string_agg(c::text, ' ' order by how) as it from public.caught as c";
    assert_eq!(text(&project, caught).await, "(cancel,f,f) (error,f,f)");
    assert_eq!(text(&project, RISEN).await, "");
    let left = "select count(*)::text as it from pg_publication where pubname = 'everything'";
    assert_eq!(text(&project, left).await, "0");
}
