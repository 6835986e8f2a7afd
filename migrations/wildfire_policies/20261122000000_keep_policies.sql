-- The Supabase CLI's `migration down` and its reset of a remote database drop every policy there is, and
-- what is dropped with `cascade` takes policies along; what is left is tables that nobody may read. So
-- the product's policies are written down, and made again as soon as one is gone.
--
-- A later release that replaces a policy deletes its row here first, in a file of
-- `migrations/wildfire_schemas`, and calls `remember_policies` for the new one when it is there. Nothing
-- here belongs to the tables' owner, since it runs with the rights of who made it: whoever drops a policy
-- need not have any here.

create table _wildfire.policies (
  schema_name text not null,
  table_name text not null,
  name text not null,
  definition text not null,
  primary key (schema_name, table_name, name)
);
comment on table _wildfire.policies is 'Policies that are made again when they are dropped.';

create function _wildfire.remember_policies(of_table regclass, names text[]) returns void
language plpgsql
-- So that every name in a definition says where it is.
set search_path = pg_catalog, pg_temp
as $$
declare
  remembered integer;
begin
  insert into _wildfire.policies (schema_name, table_name, name, definition)
  select p.schemaname, p.tablename, p.policyname,
    pg_catalog.format('create policy %I on %I.%I as %s for %s to %s%s%s',
      p.policyname, p.schemaname, p.tablename, p.permissive, p.cmd,
      (select pg_catalog.string_agg(pg_catalog.quote_ident(role), ', ') from unnest(p.roles) as role),
      coalesce(' using (' || p.qual || ')', ''),
      coalesce(' with check (' || p.with_check || ')', ''))
  from pg_catalog.pg_policies as p
  join pg_catalog.pg_class as class on class.relname = p.tablename
    and class.relnamespace::regnamespace = pg_catalog.quote_ident(p.schemaname)::regnamespace
  where class.oid = of_table and p.policyname = any (names)
  on conflict (schema_name, table_name, name) do update set definition = excluded.definition;
  get diagnostics remembered = row_count;
  if remembered <> pg_catalog.cardinality(names) then
    raise exception 'Some of the policies % of % are not there', names, of_table;
  end if;
end
$$;

-- What cannot be made again is told, and keeps nothing else from being made: row level security shows
-- nobody anything then.
create function _wildfire.restore_policies() returns setof text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  missing record;
  problem text;
begin
  for missing in
    select *
    from _wildfire.policies as kept
    where not exists (
      select from pg_catalog.pg_policies as p
      where (p.schemaname, p.tablename, p.policyname)
        = (kept.schema_name, kept.table_name, kept.name)
    )
    -- A table that was dropped takes its policies with it.
    and pg_catalog.to_regclass(pg_catalog.format('%I.%I', kept.schema_name, kept.table_name))
      is not null
    order by kept.schema_name, kept.table_name, kept.name
  loop
    begin
      execute missing.definition;
    exception
      when others then
        problem := pg_catalog.format('The policy %I on %I.%I is gone and cannot be made again: %s',
          missing.name, missing.schema_name, missing.table_name, sqlerrm);
        raise warning '%', problem;
        return next problem;
    end;
  end loop;
end
$$;

create function _wildfire.keep_policies() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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
  _wildfire.remember_policies(regclass, text[]), _wildfire.restore_policies(),
  _wildfire.keep_policies()
  from public;

select _wildfire.remember_policies('wildfire.organizations',
  array['organizations_select', 'organizations_update', 'organizations_delete']);
select _wildfire.remember_policies('wildfire.organization_members',
  array['organization_members_select', 'organization_members_update',
    'organization_members_delete']);
select _wildfire.remember_policies('wildfire.repositories',
  array['repositories_select', 'repositories_insert', 'repositories_update',
    'repositories_delete']);
select _wildfire.remember_policies('wildfire.prompts',
  array['prompts_select', 'prompts_insert', 'prompts_update', 'prompts_delete']);
select _wildfire.remember_policies('wildfire.prompt_versions', array['prompt_versions_select']);
select _wildfire.remember_policies('wildfire.api_usage', array['api_usage_select']);

-- Whatever was dropped, a policy may have gone with it. Takes a superuser; without one, the next start
-- or `wildfire migrate` makes them again.
select _wildfire.watch('wildfire_keep_policies', 'sql_drop', '_wildfire.keep_policies');
