-- Tools of the files that follow.
--
-- Every file works on a stock Postgres 15 to 18 and may run any number of times,
-- as the superuser or as a role that owns the database and may create roles (a
-- managed database). What such a role may not do, and what needs an extension or
-- a library that is not installed, is skipped with a notice: the parts that work
-- without it do not suffer.

create schema if not exists _wildfire;
comment on schema _wildfire is 'Wildfire: bookkeeping of its own migrations.';

-- Runs one statement and says whether it worked; what a managed database or a
-- missing extension forbids becomes a notice, everything else stays an error.
create or replace function _wildfire.attempt(statement text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  execute statement;
  return true;
exception
  when insufficient_privilege or feature_not_supported or undefined_file or undefined_object
    or reserved_name or invalid_grant_operation or object_not_in_prerequisite_state then
    raise notice 'skipped: % (%)', statement, sqlerrm;
    return false;
end
$$;

-- Has a function run when the schema changes: on an event, maybe of some commands only. Always: whoever may
-- set session_replication_role, as the role postgres may, would switch it off otherwise. Takes a
-- superuser.
create or replace function _wildfire.watch(name text, changes text, function text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from pg_catalog.pg_event_trigger as t where t.evtname = name)
    and _wildfire.attempt(pg_catalog.format(
      'create event trigger %I on %s execute function %s()', name, changes, function))
  then
    perform _wildfire.attempt(pg_catalog.format('alter event trigger %I enable always', name));
    perform _wildfire.attempt(pg_catalog.format(
      'alter event trigger %I owner to %I', name, _wildfire.administrator()));
  end if;
end
$$;

-- Creates a role if it is missing. Attributes that only a superuser may give are
-- tried one by one, so that without them the role still exists.
create or replace function _wildfire.ensure_role(name text, attributes text[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  attribute text;
  current_role_is_super boolean :=
    (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user);
begin
  if not exists (select from pg_catalog.pg_roles as r where r.rolname = name) then
    begin
      execute pg_catalog.format('create role %I', name);
    exception
      -- Roles belong to the whole server: another database's migration was faster.
      when duplicate_object or unique_violation then null;
    end;
    -- Owning a role's objects and speaking for it takes membership.
    if not current_role_is_super then
      perform _wildfire.attempt(pg_catalog.format('grant %I to current_user', name));
    end if;
  end if;
  foreach attribute in array attributes loop
    perform _wildfire.attempt(pg_catalog.format('alter role %I %s', name, attribute));
  end loop;
end
$$;

-- Whether the server can load a library. Only a superuser can find out, and only
-- a superuser could ask for it to be preloaded.
create or replace function _wildfire.has_library(name text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  folder text;
  suffix text;
begin
  select c.setting into folder from pg_catalog.pg_config as c where c.name = 'PKGLIBDIR';
  foreach suffix in array array['.so', '.dylib', '.dll'] loop
    if pg_catalog.pg_stat_file(folder || '/' || name || suffix, true) is not null then
      return true;
    end if;
  end loop;
  return false;
exception
  when insufficient_privilege then
    return false;
end
$$;

revoke all on schema _wildfire from public;
revoke execute on all functions in schema _wildfire from public;
