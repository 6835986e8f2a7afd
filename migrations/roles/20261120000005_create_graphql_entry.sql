-- /graphql/v1 calls graphql_public.graphql. Until a project creates the extension
-- pg_graphql, that function says so; creating and dropping the extension swaps it.

create or replace function _wildfire.set_graphql_placeholder() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  create or replace function graphql_public.graphql(
    "operationName" text default null,
    query text default null,
    variables jsonb default null,
    extensions jsonb default null
  ) returns jsonb
  language sql immutable
  as $body$
    select pg_catalog.jsonb_build_object('errors', pg_catalog.jsonb_build_array(
      pg_catalog.jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
  $body$;
end
$$;
revoke execute on function _wildfire.set_graphql_placeholder() from public;

do $$
begin
  if not exists (select from pg_catalog.pg_extension as e where e.extname = 'pg_graphql') then
    perform _wildfire.attempt('select _wildfire.set_graphql_placeholder()');
  end if;
  -- Where somebody else administers, as upstream does, the rest is theirs.
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    return;
  end if;

  create or replace function extensions.grant_pg_graphql_access() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if not exists (
      select from pg_catalog.pg_event_trigger_ddl_commands() as command
      join pg_catalog.pg_proc as p on p.oid = command.objid
      where command.classid = 'pg_catalog.pg_proc'::regclass
        and p.proname = 'resolve' and p.pronamespace = pg_catalog.to_regnamespace('graphql')
    ) then
      return;
    end if;
    drop function if exists graphql_public.graphql(text, text, jsonb, jsonb);
    create function graphql_public.graphql(
      "operationName" text default null,
      query text default null,
      variables jsonb default null,
      extensions jsonb default null
    ) returns jsonb
    language sql
    as $graphql$
      select graphql.resolve(
        query := query,
        variables := coalesce(variables, '{}'),
        "operationName" := "operationName",
        extensions := extensions
      )
    $graphql$;
    -- The extension may create more after this function.
    grant usage on schema graphql, graphql_public to postgres with grant option;
    grant usage on schema graphql to anon, authenticated, service_role;
    grant select on all tables in schema graphql to postgres, anon, authenticated, service_role;
    grant execute on all functions in schema graphql to postgres, anon, authenticated, service_role;
    grant all on all sequences in schema graphql to postgres, anon, authenticated, service_role;
    alter default privileges in schema graphql
      grant all on tables to postgres, anon, authenticated, service_role;
    alter default privileges in schema graphql
      grant all on functions to postgres, anon, authenticated, service_role;
    alter default privileges in schema graphql
      grant all on sequences to postgres, anon, authenticated, service_role;
  end
  $body$;
  comment on function extensions.grant_pg_graphql_access() is 'Grants access to pg_graphql';

  create or replace function extensions.set_graphql_placeholder() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if exists (
      select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
      where dropped.object_type = 'extension' and dropped.object_name = 'pg_graphql'
    ) then
      perform _wildfire.set_graphql_placeholder();
    end if;
  end
  $body$;
  comment on function extensions.set_graphql_placeholder()
    is 'Reintroduces placeholder function for graphql_public.graphql';

  perform _wildfire.watch('issue_pg_graphql_access',
    'ddl_command_end when tag in (''CREATE EXTENSION'', ''CREATE FUNCTION'')',
    'extensions.grant_pg_graphql_access');
  perform _wildfire.watch('issue_graphql_placeholder',
    'sql_drop when tag in (''DROP EXTENSION'')', 'extensions.set_graphql_placeholder');
end
$$;
