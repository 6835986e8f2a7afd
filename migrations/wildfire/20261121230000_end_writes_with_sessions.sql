-- A token outlives the session it was made for: services check its signature and its expiry, not
-- whether its user has signed out or was banned since. Reading goes on until it expires; writing
-- ends with the session, whoever writes and by whatever way.
--
-- Triggers per statement rather than policies: they also speak where no row matches, and can say
-- what is wrong. A statement that writes pays for one look-up by key.

create function wildfire_private.require_session() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  claims constant jsonb := wildfire_private.claims();
  named constant text := nullif(claims ->> 'session_id', '');
begin
  -- Keys of the project, and tokens that its backend makes, belong to no session.
  if named is null then
    return null;
  end if;
  if named ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then
    perform 1
    from wildfire_private.sessions as session
    join wildfire_private.accounts as account on account.id = session.user_id
    where session.id = named::uuid
      and (session.not_after is null or session.not_after > now())
      and account.id::text = claims ->> 'sub'
      and account.deleted_at is null
      and (account.banned_until is null or account.banned_until <= now());
    if found then
      return null;
    end if;
  end if;
  -- PostgREST answers this code with 401, as the prompt API does.
  raise exception 'The session has ended' using errcode = 'PT401';
end
$$;

revoke all on function wildfire_private.require_session() from public;

create trigger organizations_require_session
  before insert or update or delete on wildfire.organizations
  for each statement execute function wildfire_private.require_session();
create trigger organization_members_require_session
  before insert or update or delete on wildfire.organization_members
  for each statement execute function wildfire_private.require_session();
create trigger repositories_require_session
  before insert or update or delete on wildfire.repositories
  for each statement execute function wildfire_private.require_session();
create trigger prompts_require_session
  before insert or update or delete on wildfire.prompts
  for each statement execute function wildfire_private.require_session();
