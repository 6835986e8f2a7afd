-- Organizations own repositories. Everybody who signs up gets one.

create table wildfire.organizations (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique
    constraint organizations_slug_check check (wildfire_private.is_slug(slug, 64))
    constraint organizations_slug_reserved check (not wildfire_private.is_reserved_name(slug)),
  name text not null
    constraint organizations_name_check check (char_length(name) <= 120 and btrim(name) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table wildfire.organizations is 'Owners of repositories';

create table wildfire.organization_members (
  organization_id uuid not null references wildfire.organizations (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null
    constraint organization_members_role_check check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
comment on table wildfire.organization_members is
  'Who belongs to an organization: owners manage it, editors write, viewers read';
create index organization_members_user_id_idx
  on wildfire.organization_members (user_id, created_at, organization_id) include (role);

create trigger organizations_touch before update on wildfire.organizations
  for each row execute function wildfire_private.touch();

-- The caller's organizations. Definer rights, because the policies of organization_members ask it.
-- plpgsql keeps its plan between calls; the policies call it once per statement.
create function wildfire_private.readable_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  caller constant uuid := wildfire_private.caller();
begin
  return array(
    select member.organization_id
    from wildfire.organization_members as member
    where member.user_id = caller
  );
end
$$;

-- Those in which the caller may write prompts.
create function wildfire_private.writable_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  caller constant uuid := wildfire_private.caller();
begin
  return array(
    select member.organization_id
    from wildfire.organization_members as member
    where member.user_id = caller and member.role in ('owner', 'editor')
  );
end
$$;

-- Those the caller manages.
create function wildfire_private.owned_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  caller constant uuid := wildfire_private.caller();
begin
  return array(
    select member.organization_id
    from wildfire.organization_members as member
    where member.user_id = caller and member.role = 'owner'
  );
end
$$;

-- The repository in which flat routes look first: `default` of the first organization.
create function wildfire_private.default_repository() returns uuid
language plpgsql stable security definer parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  caller constant uuid := wildfire_private.caller();
begin
  return (
    select repository.id
    from wildfire.organization_members as member
    join wildfire.repositories as repository
      on repository.organization_id = member.organization_id and repository.slug = 'default'
    where member.user_id = caller
    order by member.created_at, member.organization_id
    limit 1
  );
end
$$;

-- An organization keeps an owner for as long as it exists. The lock makes two owners who leave at
-- the same time wait for each other.
create function wildfire_private.keep_an_owner() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from wildfire.organizations where id = old.organization_id for update;
  if found and not exists (
    select 1 from wildfire.organization_members
    where organization_id = old.organization_id and role = 'owner'
  ) then
    raise exception 'An organization needs an owner'
      using errcode = 'check_violation', constraint = 'organization_members_owner';
  end if;
  return null;
end
$$;

create trigger organization_members_keep_an_owner
  after delete or update on wildfire.organization_members
  for each row when (old.role = 'owner') execute function wildfire_private.keep_an_owner();

-- Emptying auth.users, as the Supabase CLI's resets do, empties this table without a word to the
-- triggers above. What its members owned goes as it would have gone with the last of them.
create function wildfire_private.before_members_truncate() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from wildfire.organizations as organization
  using wildfire.organization_members as member
  where member.organization_id = organization.id;
  return null;
end
$$;

create trigger organization_members_before_truncate
  before truncate on wildfire.organization_members
  for each statement execute function wildfire_private.before_members_truncate();

revoke all on wildfire.organizations, wildfire.organization_members
  from public, anon, authenticated, service_role;
grant select on wildfire.organizations, wildfire.organization_members to anon, authenticated;
grant update (slug, name), delete on wildfire.organizations to authenticated;
-- Nobody joins without having agreed to: short addresses of a member's prompts reach into every
-- organization the member belongs to. Until people can be invited, the service adds members.
grant update (role), delete on wildfire.organization_members to authenticated;
grant select, insert, update, delete
  on wildfire.organizations, wildfire.organization_members to service_role;

alter table wildfire.organizations enable row level security;
alter table wildfire.organization_members enable row level security;

create policy organizations_update on wildfire.organizations for update to authenticated
  using (id = any ((select wildfire_private.owned_organizations())::uuid[]))
  with check (id = any ((select wildfire_private.owned_organizations())::uuid[]));
create policy organizations_delete on wildfire.organizations for delete to authenticated
  using (id = any ((select wildfire_private.owned_organizations())::uuid[]));

create policy organization_members_select on wildfire.organization_members
  for select to authenticated
  using (organization_id = any ((select wildfire_private.readable_organizations())::uuid[]));
create policy organization_members_update on wildfire.organization_members
  for update to authenticated
  using (organization_id = any ((select wildfire_private.owned_organizations())::uuid[]))
  with check (organization_id = any ((select wildfire_private.owned_organizations())::uuid[]));
create policy organization_members_delete on wildfire.organization_members
  for delete to authenticated
  using (
    user_id = (select wildfire_private.caller())
    or organization_id = any ((select wildfire_private.owned_organizations())::uuid[])
  );
