-- A project's migrations, which run as postgres, refer to auth.users and hang
-- triggers on it. The tables come from whoever applies the auth schema, which may
-- be this role, and then belong to supabase_auth_admin.

do $$
declare
  administrator text := _wildfire.administrator();
  kind text;
begin
  foreach kind in array array['tables', 'sequences', 'functions'] loop
    perform _wildfire.attempt(pg_catalog.format(
      'alter default privileges for role %I in schema auth grant all on %s to postgres, dashboard_user',
      administrator, kind));
    perform _wildfire.attempt(pg_catalog.format(
      'grant all on all %s in schema auth to postgres, dashboard_user', kind));
  end loop;
  -- Which migrations have run is the auth service's business alone.
  if pg_catalog.to_regclass('auth.schema_migrations') is not null then
    perform _wildfire.attempt('revoke all on auth.schema_migrations from postgres');
    perform _wildfire.attempt(
      'grant select on auth.schema_migrations to postgres with grant option');
  end if;
end
$$;
