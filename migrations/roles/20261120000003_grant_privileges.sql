-- Who may do what, now and with what is created later.

do $$
declare
  statement text;
begin
  foreach statement in array array[
    'grant usage on schema public, extensions, storage, graphql_public, supabase_functions, auth
       to postgres, anon, authenticated, service_role',
    'grant usage on schema realtime to postgres, anon, authenticated, service_role',
    'grant create on schema public to postgres',
    'grant usage on schema graphql_public, realtime to postgres with grant option',
    'grant all on schema auth to supabase_auth_admin, dashboard_user',
    'grant all on schema storage to supabase_storage_admin, dashboard_user',
    'grant all on schema extensions to postgres, dashboard_user',
    'grant all on schema realtime to supabase_realtime_admin',
    'grant all on schema supabase_functions to supabase_functions_admin',
    -- The bookkeeping of migrations that a project's owner applies.
    'grant usage on schema _wildfire to postgres',
    -- Dumps switch triggers off while they bring rows back.
    'grant set on parameter session_replication_role to postgres'
  ] loop
    perform _wildfire.attempt(statement);
  end loop;
end
$$;

-- What extensions create belongs to the superuser, who alone can pass it on; the
-- functions among it are open to everybody anyway.
do $$
declare
  kind text;
begin
  if (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    foreach kind in array array['tables', 'sequences', 'routines'] loop
      execute pg_catalog.format(
        'grant all on all %s in schema extensions to postgres with grant option', kind);
      execute pg_catalog.format('grant all on all %s in schema extensions to dashboard_user', kind);
    end loop;
  end if;
end
$$;

do $$
declare
  administrator text := _wildfire.administrator();
  api text := 'postgres, anon, authenticated, service_role';
  kind text;
  rule record;
begin
  for rule in
    select * from (values
      (administrator, 'public', api, false),
      (administrator, 'graphql_public', api, false),
      (administrator, 'supabase_functions', api, false),
      (administrator, 'extensions', 'postgres', true),
      (administrator, 'realtime', 'postgres, dashboard_user', false),
      ('postgres', 'public', api, false),
      ('postgres', 'storage', api, false),
      ('supabase_auth_admin', 'auth', 'postgres, dashboard_user', false)
    ) as list (owner, schema, grantees, may_pass_on)
  loop
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      perform _wildfire.attempt(pg_catalog.format(
        'alter default privileges for role %I in schema %I grant all on %s to %s%s',
        rule.owner, rule.schema, kind, rule.grantees,
        case when rule.may_pass_on then ' with grant option' else '' end));
    end loop;
  end loop;
end
$$;
