-- Schemas, the extensions in them that this server has, the publication realtime
-- listens to.

-- The role that owns what the superuser owns upstream: itself, or on a managed
-- database the role that runs this.
create or replace function _wildfire.administrator() returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when pg_catalog.pg_has_role(current_user, 'supabase_admin', 'member') then 'supabase_admin'
    else current_user::text
  end
$$;
revoke execute on function _wildfire.administrator() from public;

do $$
declare
  administrator text := _wildfire.administrator();
  schema record;
begin
  -- A project's own migrations run as postgres, create schemas and extensions,
  -- and so own the database, as upstream. A database somebody brings keeps its owner.
  if exists (
    select from pg_catalog.pg_database as d
    where d.datname = pg_catalog.current_database()
      and d.datdba = 'supabase_admin'::regrole
  ) then
    perform _wildfire.attempt(pg_catalog.format(
      'alter database %I owner to postgres', pg_catalog.current_database()));
  end if;
  perform _wildfire.attempt(pg_catalog.format(
    'grant all on database %I to postgres, dashboard_user', pg_catalog.current_database()));
  for schema in
    select * from (values
      ('extensions', 'postgres'),
      ('auth', administrator),
      ('storage', administrator),
      ('realtime', administrator),
      ('_realtime', administrator),
      ('graphql', administrator),
      ('graphql_public', administrator),
      ('supabase_functions', administrator),
      ('vault', administrator),
      ('pgbouncer', 'pgbouncer')
    ) as list (name, owner)
  loop
    continue when pg_catalog.to_regnamespace(pg_catalog.quote_ident(schema.name)) is not null;
    if not _wildfire.attempt(pg_catalog.format(
      'create schema %I authorization %I', schema.name, schema.owner))
    then
      execute pg_catalog.format('create schema %I', schema.name);
    end if;
  end loop;
  -- Made before there were roles. The Supabase CLI's `migration down` and its reset of a remote
  -- database drop every schema that does not belong to supabase_admin.
  perform _wildfire.attempt(pg_catalog.format(
    'alter schema _wildfire owner to %I', administrator));
end
$$;

-- pg_graphql stays off until a project asks for it, as on new databases upstream.
do $$
declare
  extension record;
begin
  for extension in
    select * from (values
      ('uuid-ossp', 'extensions'),
      ('pgcrypto', 'extensions'),
      ('pg_stat_statements', 'extensions'),
      ('pg_net', 'extensions'),
      ('supabase_vault', 'vault')
    ) as list (name, schema)
  loop
    if exists (
      select from pg_catalog.pg_available_extensions as e where e.name = extension.name
    ) then
      perform _wildfire.attempt(pg_catalog.format(
        'create extension if not exists %I with schema %I', extension.name, extension.schema));
    else
      raise notice 'extension % is not installed on this server', extension.name;
    end if;
  end loop;
end
$$;

do $$
begin
  if not exists (
    select from pg_catalog.pg_publication as p where p.pubname = 'supabase_realtime'
  ) then
    perform _wildfire.attempt('create publication supabase_realtime');
  end if;
  -- Projects add their tables to it in migrations that run as postgres.
  perform _wildfire.attempt('alter publication supabase_realtime owner to postgres');
end
$$;

-- What a pooler asks to check a password. Only a superuser may read them, so
-- only a superuser can lend that right.
do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    create or replace function pgbouncer.get_auth(p_usename text)
    returns table (username text, password text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $body$
      select
        a.rolname::text,
        case when a.rolvaliduntil < pg_catalog.now() then null else a.rolpassword end
      from pg_catalog.pg_authid as a
      where a.rolname = p_usename and a.rolcanlogin
    $body$;
    revoke execute on function pgbouncer.get_auth(text) from public;
    grant execute on function pgbouncer.get_auth(text) to pgbouncer;
  end if;
end
$$;
