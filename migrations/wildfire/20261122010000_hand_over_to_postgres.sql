-- What these files make belongs to the role that a project's own migrations run as: definer
-- functions have that role's rights instead of a superuser's, on which its triggers and replaced
-- functions would get a ride, and the Supabase CLI's resets may empty the tables. The schemas are
-- not part of it. A later file does the same for what it adds.
--
-- Where no superuser runs this, the role that does is the one a project's migrations run as, and owns
-- everything already.

do $$
declare
  owned record;
begin
  if current_user = 'postgres'
    or not (select rolsuper from pg_roles where rolname = current_user) then
    return;
  end if;
  -- What the functions read there as their new owner.
  grant usage on schema auth to postgres;
  grant select on auth.users, auth.sessions to postgres;
  for owned in
    select format('table %s', class.oid::regclass) as object
    from pg_class as class
    where class.relkind = 'r'
      and class.relnamespace in ('wildfire'::regnamespace, 'wildfire_private'::regnamespace)
    union all
    select format('function %s', routine.oid::regprocedure)
    from pg_proc as routine
    where routine.pronamespace in ('wildfire'::regnamespace, 'wildfire_private'::regnamespace)
  loop
    execute format('alter %s owner to postgres', owned.object);
  end loop;
end
$$;
