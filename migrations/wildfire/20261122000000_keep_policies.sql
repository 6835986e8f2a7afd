-- The Supabase CLI's `migration down` and its reset of a remote database drop every policy there is,
-- as the owner of these tables; what is left is tables that nobody may read. So the product's
-- policies are written down, and made again as soon as one is dropped.
--
-- A later file that replaces a policy deletes its row here first, and calls `remember_policies` when
-- it is done. Nothing here belongs to postgres, since it runs with the rights of who made it:
-- whoever drops a policy need not have any here.

create table _wildfire.policies (
  schema_name text not null,
  table_name text not null,
  name text not null,
  definition text not null,
  primary key (schema_name, table_name, name)
);
comment on table _wildfire.policies is 'Policies that are made again when they are dropped.';

create function _wildfire.remember_policies(in_schema text) returns void
language sql
-- So that every name in a definition says where it is.
set search_path = ''
as $$
  insert into _wildfire.policies (schema_name, table_name, name, definition)
  select p.schemaname, p.tablename, p.policyname,
    pg_catalog.format('create policy %I on %I.%I as %s for %s to %s%s%s',
      p.policyname, p.schemaname, p.tablename, p.permissive, p.cmd,
      (select pg_catalog.string_agg(pg_catalog.quote_ident(role), ', ') from unnest(p.roles) as role),
      coalesce(' using (' || p.qual || ')', ''),
      coalesce(' with check (' || p.with_check || ')', ''))
  from pg_catalog.pg_policies as p
  where p.schemaname = in_schema
  on conflict (schema_name, table_name, name) do update set definition = excluded.definition
$$;

create function _wildfire.restore_policies() returns void
language plpgsql
set search_path = ''
as $$
declare
  missing record;
begin
  for missing in
    select kept.definition
    from _wildfire.policies as kept
    where not exists (
      select from pg_catalog.pg_policies as p
      where (p.schemaname, p.tablename, p.policyname)
        = (kept.schema_name, kept.table_name, kept.name)
    )
    -- A table that was dropped takes its policies with it.
    and pg_catalog.to_regclass(pg_catalog.format('%I.%I', kept.schema_name, kept.table_name))
      is not null
  loop
    execute missing.definition;
  end loop;
end
$$;

create function _wildfire.keep_policies() returns event_trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    join _wildfire.policies as kept
      on array[kept.schema_name, kept.table_name, kept.name] = dropped.address_names
    where dropped.object_type = 'policy'
  ) then
    perform _wildfire.restore_policies();
  end if;
end
$$;

revoke all on _wildfire.policies from public;
revoke all on function
  _wildfire.remember_policies(text), _wildfire.restore_policies(), _wildfire.keep_policies()
  from public;

select _wildfire.remember_policies('wildfire');

-- Takes a superuser; without one, the next start or `wildfire migrate` makes them again.
do $$
begin
  perform _wildfire.attempt(
    'create event trigger wildfire_keep_policies on sql_drop
       when tag in (''DROP POLICY'') execute function _wildfire.keep_policies()');
end
$$;
