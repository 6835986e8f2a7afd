-- The roles that clients, services and people act as, with the attributes and
-- settings Supabase's Postgres gives them.

-- The order matters where a role is granted to a later one. supabase_admin and
-- postgres may exist: the first is the superuser `initdb` makes, the second is
-- often the owner of a database somebody brings. An existing superuser keeps its
-- powers, whatever Supabase would take from it.
do $$
declare
  role record;
begin
  for role in
    select * from (values
      ('supabase_admin', array['login', 'createdb', 'createrole', 'replication', 'bypassrls',
        'superuser']),
      ('postgres', array['login', 'createdb', 'createrole', 'replication', 'bypassrls']),
      ('anon', array['nologin', 'inherit']),
      ('authenticated', array['nologin', 'inherit']),
      ('service_role', array['nologin', 'inherit', 'bypassrls']),
      ('authenticator', array['login', 'noinherit']),
      ('supabase_auth_admin', array['login', 'noinherit']),
      ('supabase_storage_admin', array['login', 'noinherit', 'createrole']),
      ('supabase_functions_admin', array['login', 'noinherit', 'createrole']),
      ('supabase_realtime_admin', array['nologin', 'noinherit']),
      ('supabase_replication_admin', array['login', 'replication']),
      ('supabase_etl_admin', array['login', 'replication']),
      ('supabase_read_only_user', array['login', 'bypassrls']),
      ('supabase_superuser', array['nologin']),
      ('dashboard_user', array['nologin', 'createdb', 'createrole', 'replication']),
      ('pgbouncer', array['login'])
    ) as list (name, attributes)
  loop
    continue when role.name in ('supabase_admin', 'postgres') and exists (
      select from pg_catalog.pg_roles as r where r.rolname = role.name and r.rolsuper
    );
    perform _wildfire.ensure_role(role.name, role.attributes);
  end loop;
end
$$;

-- Memberships. Those of postgres let it pass the API roles on to roles of a
-- project's own.
do $$
declare
  membership record;
  option text;
begin
  for membership in
    select * from (values
      ('anon', 'authenticator', false),
      ('authenticated', 'authenticator', false),
      ('service_role', 'authenticator', false),
      ('authenticator', 'supabase_storage_admin', false),
      ('anon', 'postgres', true),
      ('authenticated', 'postgres', true),
      ('service_role', 'postgres', true),
      ('authenticator', 'postgres', true),
      ('pg_monitor', 'postgres', false),
      ('pg_read_all_data', 'postgres', true),
      ('pg_signal_backend', 'postgres', false),
      ('supabase_functions_admin', 'postgres', false),
      ('supabase_superuser', 'postgres', false),
      ('supabase_superuser', 'supabase_etl_admin', false),
      ('pg_read_all_data', 'supabase_read_only_user', false)
    ) as list (role, member, is_admin)
  loop
    -- A member that already is one, or that is a superuser, needs nothing.
    continue when exists (
      select from pg_catalog.pg_roles as r
      where r.rolname = membership.member and r.rolsuper
    );
    option := case when membership.is_admin then ' with admin option' else '' end;
    perform _wildfire.attempt(
      pg_catalog.format('grant %I to %I%s', membership.role, membership.member, option));
  end loop;
end
$$;

-- Settings that hold from login on.
do $$
declare
  setting record;
begin
  for setting in
    select * from (values
      ('supabase_admin', 'search_path', '"$user", public, auth, extensions'),
      ('postgres', 'search_path', '"$user", public, extensions'),
      ('anon', 'statement_timeout', '''3s'''),
      ('authenticated', 'statement_timeout', '''8s'''),
      ('authenticator', 'statement_timeout', '''8s'''),
      -- Callers' claims are set by statements whose texts pg_stat_statements would show everybody.
      ('authenticator', 'pg_stat_statements.track_utility', 'off'),
      ('authenticator', 'lock_timeout', '''8s'''),
      ('supabase_auth_admin', 'search_path', 'auth'),
      ('supabase_auth_admin', 'idle_in_transaction_session_timeout', '60000'),
      ('supabase_storage_admin', 'search_path', 'storage'),
      ('supabase_functions_admin', 'search_path', 'supabase_functions')
    ) as list (role, name, value)
  loop
    perform _wildfire.attempt(
      pg_catalog.format('alter role %I set %I = %s', setting.role, setting.name, setting.value));
  end loop;
end
$$;

-- A role that preloads a library the server does not have cannot log in at all.
do $$
declare
  present text[] := array(
    select name from unnest(array['supautils', 'safeupdate']) as name
    where _wildfire.has_library(name)
  );
begin
  if present <> '{}' then
    perform _wildfire.attempt(pg_catalog.format(
      'alter role authenticator set session_preload_libraries = %s',
      pg_catalog.array_to_string(present, ', ')));
  end if;
  if 'safeupdate' = any (present) then
    perform _wildfire.attempt(
      'alter role postgres set session_preload_libraries = safeupdate');
    perform _wildfire.attempt('alter role postgres set safeupdate.enabled = 0');
  end if;
end
$$;
