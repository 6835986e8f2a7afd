-- What Postgres lets only superusers make, and projects have in their migrations all the same: event
-- triggers, publications of all tables, servers of postgres_fdw, settings of the data API and of their own.
-- Upstream's supautils does it inside the server; here the administrator lends functions. None of them
-- makes anybody more than they are.

-- What the restore of a dump could not give to its owner. Run at every start; says what went wrong.
create or replace function _wildfire.restore_event_triggers() returns setof text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  lost name;
begin
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    return;
  end if;
  for lost in
    select t.evtname
    from pg_catalog.pg_event_trigger as t join pg_catalog.pg_proc as p on p.oid = t.evtfoid
    where p.pronamespace = '_wildfire'::regnamespace and p.proname ~ '^event_function_[0-9]+$'
      and t.evtowner <> 'postgres'::regrole
  loop
    begin
      perform _wildfire.give_to_project(pg_catalog.format('event trigger %I', lost));
    exception
      when others then
        return next pg_catalog.format('The event trigger %I cannot be given to the role postgres: %s',
          lost, sqlerrm);
    end;
  end loop;
end
$$;
revoke execute on function _wildfire.restore_event_triggers() from public;

do $$
begin
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    raise notice 'skipped: event triggers and publications of all tables for projects (no superuser)';
    return;
  end if;

  -- Only superusers may own such a thing, and Postgres looks only when it changes hands. Nobody else
  -- sees it, and no project's code runs in between: its event triggers, which the change of a publication
  -- fires, end where a superuser acts. Upstream's image does the same for postgres_fdw.
  create or replace function _wildfire.give_to_project(thing text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    is_super constant boolean := (select r.rolsuper from pg_roles as r where r.rolname = 'postgres');
  begin
    if not is_super then
      -- Roles belong to the whole server, and Postgres refuses the second of two changes at once. Of one
      -- database after the other, then, without holding up anybody else's.
      lock table pg_authid in share update exclusive mode;
      alter role postgres superuser;
    end if;
    execute format('alter %s owner to postgres', thing);
    if not is_super then
      alter role postgres nosuperuser;
    end if;
  end
  $body$;

  -- Runs statements that look types up as a project's function would.
  create or replace function _wildfire.execute_with_path(path text, variadic statements text[])
  returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set check_function_bodies = on
  set standard_conforming_strings = on
  as $body$
  declare
    statement text;
  begin
    perform pg_catalog.set_config('search_path', path, true);
    -- From here on every name has to be whole.
    foreach statement in array statements loop
      execute statement;
    end loop;
  end
  $body$;

  -- The copy of a project's function. That both belong together is said by a view with the copy's number,
  -- which names the function: so Postgres itself keeps it through renames, dumps and upgrades, and lets
  -- nobody drop the function without `cascade`.
  create or replace function _wildfire.event_function_of(original oid) returns name
  language sql
  stable
  set search_path = pg_catalog, pg_temp
  as $body$
    select replace(view.relname, 'event_triggers_', 'event_function_')::name
    from pg_depend as d
    join pg_rewrite as r on r.oid = d.objid
    join pg_class as view on view.oid = r.ev_class
    where d.classid = 'pg_rewrite'::regclass
      and d.refclassid = 'pg_proc'::regclass and d.refobjid = original
      and view.relnamespace = '_wildfire'::regnamespace and view.relname ~ '^event_triggers_[0-9]+$'
  $body$;

  -- What an event trigger runs in place of a project's function. Event triggers also fire inside the
  -- scripts of trusted extensions, which run as a superuser: whatever a project's code does there, a
  -- plain set_config('search_path', …) in a definer function included, the script goes on with it. So the
  -- project's source stands as a block inside one that ends at once for whoever the project's owner could
  -- not become, by role and by login, and for the product's own role. The copy belongs to the
  -- administrator and has the rights of whoever changes something.
  create or replace function _wildfire.copy_event_function(original oid) returns name
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    -- Names in it are whole: whoever fires it may have a path, operators and types of their own.
    -- A superuser is asked for by name: to has_role everybody is a member of one, and `give_to_project`
    -- makes the owner one for a moment. Where the owner is one anyway there is nothing to protect.
    gate constant text := 'begin if exists (select from pg_catalog.pg_roles as r'
      ' where (r.rolname operator(pg_catalog.=) current_user or r.rolname operator(pg_catalog.=) session_user)'
      ' and r.rolname operator(pg_catalog.<>) ''postgres''::pg_catalog.name'
      ' and (r.rolsuper or r.rolname operator(pg_catalog.=) ''wildfire_owner''::pg_catalog.name'
      ' or not pg_catalog.pg_has_role(''postgres''::pg_catalog.name, r.oid, ''member''::pg_catalog.text)))'
      ' then return; end if; ';
    copy name;
    header text;
    function record;
    path text;
    options text;
    source text;
    keep text;
  begin
    select p.oid::regprocedure::text as name, p.prosrc, p.prorettype, p.proowner, l.lanname,
      coalesce(p.proconfig, '{}') as settings, pg_is_other_temp_schema(p.pronamespace)
        or p.pronamespace = pg_my_temp_schema() as is_temporary
    into strict function
    from pg_proc as p join pg_language as l on l.oid = p.prolang
    where p.oid = original;
    if function.prorettype <> 'event_trigger'::regtype then
      raise invalid_object_definition using
        message = format('function %s must return type event_trigger', function.name);
    end if;
    if function.lanname <> 'plpgsql' then
      raise feature_not_supported using
        message = format('function %s is written in %s', function.name, function.lanname),
        hint = 'A project''s event triggers run functions in PL/pgSQL.';
    end if;
    if function.proowner <> 'postgres'::regrole then
      raise insufficient_privilege using
        message = format('function %s belongs to %s', function.name, function.proowner::regrole),
        hint = 'A project''s event triggers run functions of the role postgres.';
    end if;
    if function.is_temporary then
      raise feature_not_supported using
        message = format('function %s is temporary', function.name),
        hint = 'A project''s event triggers run functions that stay.';
    end if;
    -- Others would hold before the gate is reached: session_authorization, for one.
    if exists (select from unnest(function.settings) as setting where setting !~ '^search_path=') then
      raise feature_not_supported using
        message = format('function %s has settings other than search_path', function.name),
        hint = 'A function that an event trigger runs can have no other; use set_config() inside it.';
    end if;
    path := substr(function.settings[1], length('search_path=') + 1);
    options := coalesce(
      (regexp_match(function.prosrc,
        '^(?:\s*#\s*(?:variable_conflict|print_strict_params)\s+\w+)+', 'i'))[1], '');
    source := substr(function.prosrc, length(options) + 1);
    -- Alone first, under a name that no trigger calls: what is not one whole block could end ours.
    perform _wildfire.execute_with_path(
      coalesce(path, '"$user", public, extensions'),
      format('create function _wildfire.event_function_alone() returns pg_catalog.event_trigger'
        ' language plpgsql as %L', function.prosrc),
      'drop function _wildfire.event_function_alone()');
    copy := _wildfire.event_function_of(original);
    if copy is null then
      copy := (
        select 'event_function_' || coalesce(max(substr(p.proname, length('event_function_') + 1)::bigint), 0) + 1
        from pg_proc as p
        where p.pronamespace = '_wildfire'::regnamespace and p.proname ~ '^event_function_[0-9]+$'
      );
      execute format('create view _wildfire.%I as select %L::pg_catalog.regprocedure as run',
        replace(copy, 'event_function_', 'event_triggers_'), function.name);
    end if;
    header := format('create or replace function _wildfire.%I() returns pg_catalog.event_trigger'
      ' language plpgsql set standard_conforming_strings = on as ', copy);
    keep := format('alter function _wildfire.%I() %s', copy,
      case when path is null then 'reset search_path' else 'set search_path from current' end);
    -- All on the source's first line, so that lines in messages are the author's. The last line may be a
    -- comment, and the block may have its semicolon.
    begin
      perform _wildfire.execute_with_path(
        coalesce(path, '"$user", public, extensions'),
        header || quote_literal(options || ' ' || gate || source || E'\n; end'), keep);
    exception when syntax_error then
      perform _wildfire.execute_with_path(
        coalesce(path, '"$user", public, extensions'),
        header || quote_literal(options || ' ' || gate || source || E'\nend'), keep);
    end;
    return copy;
  end
  $body$;

  -- Postgres tells nobody when an event trigger is dropped.
  create or replace function _wildfire.unused_event_functions() returns table (copy name)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
  as $body$
    select p.proname from pg_proc as p
    where p.pronamespace = '_wildfire'::regnamespace and p.proname ~ '^event_function_[0-9]+$'
      and not exists (select from pg_event_trigger as t where t.evtfoid = p.oid)
  $body$;

  create or replace function _wildfire.create_event_trigger(
    trigger_name text, event text, tags text[], function regprocedure
  ) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    copy name;
    condition text := '';
  begin
    if event = 'login' then
      raise feature_not_supported using
        message = 'event triggers on login are not available',
        detail = 'They would run in every connection of the services.';
    end if;
    -- Their views go as these do (`free_event_functions`).
    for copy in select unused.copy from _wildfire.unused_event_functions() as unused loop
      execute format('drop function _wildfire.%I()', copy);
    end loop;
    copy := _wildfire.copy_event_function(function);
    if tags is not null then
      condition := format('when tag in (%s)',
        (select string_agg(quote_literal(tag), ', ') from unnest(tags) as tag));
    end if;
    execute format('create event trigger %I on %I %s execute function _wildfire.%I()',
      trigger_name, event, condition, copy);
    perform _wildfire.give_to_project(format('event trigger %I', trigger_name));
  end
  $body$;

  -- Of all tables, or where schemas are given of theirs. Whoever may replicate, as postgres may, can read
  -- every table's changes anyway.
  create or replace function _wildfire.create_publication(
    publication text, schemas text[], options jsonb
  ) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    execute format('create publication %I for %s %s', publication,
      case when schemas is null then 'all tables' else 'tables in schema ' || (
        select string_agg(quote_ident(schema), ', ') from unnest(schemas) as schema) end,
      (select 'with (' || string_agg(format('%I = %L', o.key, o.value), ', ') || ')'
        from jsonb_each_text(options) as o));
    perform _wildfire.give_to_project(format('publication %I', publication));
  end
  $body$;

  -- Postgres cannot know what a setting that no library has defined will mean, so it lets only superusers
  -- keep a value of one; `app` is the name that projects use for their own.
  create or replace function _wildfire.allow_setting(setting text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    if setting !~* '^(app|pgrst)(\.[a-z_][a-z0-9_$]*)+$' then
      raise insufficient_privilege using
        message = format('%s is no setting of a project''s own', setting),
        hint = 'The names of those begin with app.';
    end if;
    if not has_parameter_privilege('postgres', setting, 'set') then
      execute format('grant set on parameter %s to postgres', setting);
    end if;
  end
  $body$;

  -- A function that changes changes its copy, whoever changes it.
  create or replace function _wildfire.follow_event_functions() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  begin
    perform _wildfire.copy_event_function(command.objid)
    from pg_event_trigger_ddl_commands() as command
    where command.classid = 'pg_proc'::regclass
      and exists (
        select from pg_event_trigger as t join pg_proc as p on p.oid = t.evtfoid
        where p.pronamespace = '_wildfire'::regnamespace
          and p.proname = _wildfire.event_function_of(command.objid)
      );
  end
  $body$;

  -- A function that no event trigger runs any more may be dropped without `cascade` again.
  create or replace function _wildfire.free_event_functions() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    unused name;
  begin
    for unused in
      select view.relname
      from _wildfire.unused_event_functions() as u
      join pg_class as view on view.relname = replace(u.copy, 'event_function_', 'event_triggers_')
      where view.relnamespace = '_wildfire'::regnamespace
    loop
      execute format('drop view _wildfire.%I', unused);
    end loop;
  end
  $body$;

  -- A function that is dropped with `cascade` takes its event triggers along. The copy stays until the
  -- next one is made: the same change may still have to run it.
  create or replace function _wildfire.drop_event_triggers() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    lost name;
  begin
    for lost in
      select t.evtname
      from pg_event_trigger_dropped_objects() as dropped
      join pg_proc as p on p.proname = replace(dropped.object_name, 'event_triggers_', 'event_function_')
      join pg_event_trigger as t on t.evtfoid = p.oid
      where dropped.object_type = 'view' and dropped.schema_name = '_wildfire'
        and p.pronamespace = '_wildfire'::regnamespace
    loop
      raise notice 'drop cascades to event trigger %', lost;
      execute format('drop event trigger %I', lost);
    end loop;
  end
  $body$;

  -- Upstream: postgresql_extension_custom_scripts/{postgres_fdw,dblink}/after-create.sql make postgres the
  -- owner of the wrapper and leave connections without a password check to the administrator.
  create or replace function _wildfire.grant_foreign_access() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  as $body$
  declare
    command text;
  begin
    for command in
      with created as (
        select e.oid from pg_event_trigger_ddl_commands() as c
        join pg_extension as e on e.oid = c.objid
        where c.classid = 'pg_extension'::regclass and e.extname in ('postgres_fdw', 'dblink')
      ), made as (
        select d.classid, d.objid from pg_depend as d join created as e on e.oid = d.refobjid
        where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
      )
      select format('grant usage on foreign data wrapper %I to postgres with grant option', f.fdwname)
      from made as m join pg_foreign_data_wrapper as f on f.oid = m.objid
      where m.classid = 'pg_foreign_data_wrapper'::regclass
      union all
      select format('revoke all on function %s from public, postgres, dashboard_user cascade',
        p.oid::regprocedure)
      from made as m join pg_proc as p on p.oid = m.objid
      where m.classid = 'pg_proc'::regclass and p.proname = 'dblink_connect_u'
    loop
      execute command;
    end loop;
  end
  $body$;

  revoke execute on all functions in schema _wildfire from public;
  grant execute on function _wildfire.create_event_trigger(text, text, text[], regprocedure),
    _wildfire.create_publication(text, text[], jsonb), _wildfire.allow_setting(text) to postgres;

  -- Upstream: supautils.privileged_role_allowed_configs has pgrst.*, which Postgres knows only by name.
  perform _wildfire.allow_setting('pgrst.' || name) from unnest(array[
    'db_aggregates_enabled', 'db_anon_role', 'db_extra_search_path', 'db_hoisted_tx_settings',
    'db_max_rows', 'db_plan_enabled', 'db_pre_config', 'db_pre_request', 'db_prepared_statements',
    'db_root_spec', 'db_schemas', 'db_timezone_enabled', 'db_tx_end', 'jwt_aud', 'jwt_cache_max_lifetime',
    'jwt_role_claim_key', 'jwt_secret', 'jwt_secret_is_base64', 'log_level', 'openapi_mode',
    'openapi_security_active', 'openapi_server_proxy_uri', 'server_cors_allowed_origins',
    'server_timing_enabled', 'server_trace_header']) as name;

  perform _wildfire.watch('follow_event_functions',
    'ddl_command_end when tag in (''CREATE FUNCTION'', ''ALTER FUNCTION'', ''ALTER ROUTINE'')',
    '_wildfire.follow_event_functions');
  perform _wildfire.watch('free_event_functions',
    'ddl_command_start when tag in (''DROP FUNCTION'', ''DROP ROUTINE'', ''DROP OWNED'')',
    '_wildfire.free_event_functions');
  perform _wildfire.watch('drop_event_triggers', 'sql_drop', '_wildfire.drop_event_triggers');
  perform _wildfire.watch('grant_foreign_access',
    'ddl_command_end when tag in (''CREATE EXTENSION'')', '_wildfire.grant_foreign_access');
end
$$;
