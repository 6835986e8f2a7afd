-- Functions that react to schema changes: they tell the data API to look again
-- and open extensions to the roles that use them. Event triggers take a
-- superuser; without one, a change needs `notify pgrst, 'reload schema'` by hand.
--
-- They run as whoever changes something, and the scripts of trusted extensions change things as a
-- superuser with a search path of the caller's choice: so each finds Postgres' own things first, and
-- temporary ones last. An empty path would find temporary types before all others.

do $$
begin
  -- Where somebody else administers, as upstream does, these are theirs.
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    raise notice 'skipped: functions that react to schema changes (no superuser)';
    return;
  end if;

  -- Schemas whose changes no client of the data API can see.
  create or replace function extensions.pgrst_ddl_watch() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if exists (
      select from pg_catalog.pg_event_trigger_ddl_commands() as command
      where command.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW',
        'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION',
        'CREATE TRIGGER',
        'CREATE TYPE', 'ALTER TYPE',
        'CREATE RULE',
        'COMMENT'
      )
      and (
        command.schema_name is null
        or command.schema_name not in ('pg_temp', 'auth', 'realtime', '_realtime', 'storage')
      )
    ) then
      notify pgrst, 'reload schema';
    end if;
  end
  $body$;

  create or replace function extensions.pgrst_drop_watch() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if exists (
      select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
      where dropped.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'trigger',
        'type', 'rule'
      )
      and not dropped.is_temporary
      and (
        dropped.schema_name is null
        or dropped.schema_name not in ('pg_temp', 'auth', 'realtime', '_realtime', 'storage')
      )
    ) then
      notify pgrst, 'reload schema';
    end if;
  end
  $body$;

  create or replace function extensions.grant_pg_cron_access() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if not exists (
      select from pg_catalog.pg_event_trigger_ddl_commands() as command
      join pg_catalog.pg_extension as e on e.oid = command.objid
      where command.classid = 'pg_catalog.pg_extension'::regclass and e.extname = 'pg_cron'
    ) then
      return;
    end if;
    grant usage on schema cron to postgres with grant option;
    grant all on all tables in schema cron to postgres with grant option;
    grant all on all sequences in schema cron to postgres with grant option;
    grant all on all functions in schema cron to postgres with grant option;
    alter default privileges in schema cron grant all on tables to postgres with grant option;
    alter default privileges in schema cron grant all on sequences to postgres with grant option;
    alter default privileges in schema cron grant all on functions to postgres with grant option;
    -- Jobs change through cron.schedule and its sisters, which check who asks.
    revoke all on table cron.job from postgres;
    grant select on table cron.job to postgres with grant option;
  end
  $body$;
  comment on function extensions.grant_pg_cron_access() is 'Grants access to pg_cron';

  create or replace function extensions.grant_pg_net_access() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if exists (
      select from pg_catalog.pg_event_trigger_ddl_commands() as command
      join pg_catalog.pg_extension as e on e.oid = command.objid
      where command.classid = 'pg_catalog.pg_extension'::regclass and e.extname = 'pg_net'
    ) then
      grant usage on schema net
        to supabase_functions_admin, postgres, anon, authenticated, service_role;
    end if;
  end
  $body$;
  comment on function extensions.grant_pg_net_access() is 'Grants access to pg_net';

  perform _wildfire.watch('pgrst_ddl_watch', 'ddl_command_end', 'extensions.pgrst_ddl_watch');
  perform _wildfire.watch('pgrst_drop_watch', 'sql_drop', 'extensions.pgrst_drop_watch');
  perform _wildfire.watch('issue_pg_cron_access',
    'ddl_command_end when tag in (''CREATE EXTENSION'')', 'extensions.grant_pg_cron_access');
  perform _wildfire.watch('issue_pg_net_access',
    'ddl_command_end when tag in (''CREATE EXTENSION'')', 'extensions.grant_pg_net_access');
end
$$;
