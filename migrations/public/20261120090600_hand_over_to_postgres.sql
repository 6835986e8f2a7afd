-- What these files make belongs to the role that a project's own migrations run as, as if they had
-- made it: they may alter it, and definer functions have that role's rights instead of a superuser's.
-- A later file does the same for what it adds.
--
-- Where no superuser runs this, the role that does is the one a project's migrations run as, and owns
-- everything already.

do $$
declare
  owned record;
begin
  if current_user = 'postgres' or to_regrole('postgres') is null
    or not (select rolsuper from pg_roles where rolname = current_user) then
    return;
  end if;
  -- What the functions read there as their new owner.
  grant usage on schema auth to postgres;
  grant select on auth.users to postgres;
  for owned in
    select format('table %s', class.oid::regclass) as object
    from pg_class as class
    where class.relkind = 'r' and (
      class.relnamespace = 'wildfire'::regnamespace
      or class.oid in (
        'public.organizations'::regclass, 'public.organization_members'::regclass,
        'public.repositories'::regclass, 'public.prompts'::regclass,
        'public.prompt_versions'::regclass, 'public.waitlist_entries'::regclass,
        'public.api_usage'::regclass
      )
    )
    union all
    select format('function %s', routine.oid::regprocedure)
    from pg_proc as routine
    where routine.pronamespace = 'wildfire'::regnamespace
    union all
    select 'schema wildfire'
  loop
    execute format('alter %s owner to postgres', owned.object);
  end loop;
end
$$;
