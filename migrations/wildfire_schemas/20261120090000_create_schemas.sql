-- What the administrator of a database has to do for the prompt platform: its schemas, and what its
-- owner may do outside them. `wildfire` is what the data API offers; functions that policies, checks
-- and triggers call are in `wildfire_private`. A project has `public` to itself.
--
-- All that is in the schemas is made by `wildfire_owner`, who logs in for it and is nobody else:
-- definer functions have that role's rights, and whoever gets hold of one gains no more than these.

-- The schemas' owner is the one whose schemas the Supabase CLI leaves alone: its `migration down` and
-- its reset of a remote database drop every schema that does not belong to supabase_admin.
do $$
declare
  schema text;
begin
  foreach schema in array array['wildfire', 'wildfire_private'] loop
    execute format('create schema %I authorization %I', schema, _wildfire.administrator());
  end loop;
end
$$;
comment on schema wildfire is 'The prompt platform''s tables';
comment on schema wildfire_private is 'Rules behind the tables in schema wildfire';
grant usage, create on schema wildfire, wildfire_private to wildfire_owner;

-- The authenticator only parses statements; what they do is checked against the caller's role.
grant usage on schema wildfire, wildfire_private
  to anon, authenticated, service_role, authenticator, postgres;

-- The same resets run as postgres, empty auth.users with all that refers to it and drop every policy,
-- which takes an owner of the tables.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = 'postgres') then
    perform _wildfire.attempt('grant wildfire_owner to postgres');
  end if;
end
$$;

-- Organizations and usage refer to users, and two triggers tell when one comes or goes.
grant usage on schema auth to wildfire_owner;
grant references (id), trigger on auth.users to wildfire_owner;

-- A grant that is not one's to give is no error.
do $$
begin
  if not has_schema_privilege('wildfire_owner', 'auth', 'usage')
    or not has_column_privilege('wildfire_owner', 'auth.users', 'id', 'references')
    or not has_table_privilege('wildfire_owner', 'auth.users', 'trigger')
  then
    raise insufficient_privilege using message =
      'the role wildfire_owner may not refer to auth.users, and ' || current_user || ' may not let it. '
      'Let supabase_admin or another superuser of that server run once: '
      'grant usage on schema auth to wildfire_owner; '
      'grant references (id), trigger on auth.users to wildfire_owner; '
      'Or do without the prompt platform: WILDFIRE_PROMPTS=false';
  end if;
end
$$;

-- What the platform may know of users and sessions. Row level security shows nobody but their owner a
-- row of these tables; a view reads them as who made it, while whatever functions somebody puts
-- behind them run as who reads the view.
create view wildfire_private.accounts as
  select id, email, created_at, deleted_at, banned_until from auth.users;
create view wildfire_private.sessions as
  select id, user_id, not_after from auth.sessions;
comment on view wildfire_private.accounts is 'What the platform may know of users';
comment on view wildfire_private.sessions is 'What the platform may know of sessions';
revoke all on wildfire_private.accounts, wildfire_private.sessions from public;
grant select on wildfire_private.accounts, wildfire_private.sessions to wildfire_owner;
