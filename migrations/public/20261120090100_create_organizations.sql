-- Organizations own repositories. Everybody who signs up gets one.

create table public.organizations (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique
    constraint organizations_slug_check check (wildfire.is_slug(slug, 64))
    constraint organizations_slug_reserved check (not wildfire.is_reserved_name(slug)),
  name text not null
    constraint organizations_name_check check (char_length(name) <= 120 and btrim(name) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.organizations is 'Owners of repositories';

create table public.organization_members (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null
    constraint organization_members_role_check check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
comment on table public.organization_members is
  'Who belongs to an organization: owners manage it, editors write, viewers read';
create index organization_members_user_id_idx
  on public.organization_members (user_id, created_at, organization_id) include (role);

create trigger organizations_touch before update on public.organizations
  for each row execute function wildfire.touch();

-- The caller's organizations. Definer rights, because the policies of organization_members ask it.
-- plpgsql keeps its plan between calls; the policies call it once per statement.
create function wildfire.readable_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
begin
  return array(
    select member.organization_id
    from public.organization_members as member
    where member.user_id = caller
  );
end
$$;

-- Those in which the caller may write prompts.
create function wildfire.writable_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
begin
  return array(
    select member.organization_id
    from public.organization_members as member
    where member.user_id = caller and member.role in ('owner', 'editor')
  );
end
$$;

-- Those the caller manages.
create function wildfire.owned_organizations() returns uuid[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
begin
  return array(
    select member.organization_id
    from public.organization_members as member
    where member.user_id = caller and member.role = 'owner'
  );
end
$$;

-- The repository in which flat routes look first: `default` of the first organization.
create function wildfire.default_repository() returns uuid
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
begin
  return (
    select repository.id
    from public.organization_members as member
    join public.repositories as repository
      on repository.organization_id = member.organization_id and repository.slug = 'default'
    where member.user_id = caller
    order by member.created_at, member.organization_id
    limit 1
  );
end
$$;

-- An organization keeps an owner for as long as it exists. The lock makes two owners who leave at
-- the same time wait for each other.
create function wildfire.keep_an_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform 1 from public.organizations where id = old.organization_id for update;
  if found and not exists (
    select 1 from public.organization_members
    where organization_id = old.organization_id and role = 'owner'
  ) then
    raise exception 'An organization needs an owner'
      using errcode = 'check_violation', constraint = 'organization_members_owner';
  end if;
  return null;
end
$$;

create trigger organization_members_keep_an_owner
  after delete or update on public.organization_members
  for each row when (old.role = 'owner') execute function wildfire.keep_an_owner();

revoke all on public.organizations, public.organization_members
  from public, anon, authenticated, service_role;
grant select on public.organizations, public.organization_members to anon, authenticated;
grant update (slug, name), delete on public.organizations to authenticated;
-- Nobody joins without having agreed to: short addresses of a member's prompts reach into every
-- organization the member belongs to. Until people can be invited, the service adds members.
grant update (role), delete on public.organization_members to authenticated;
grant select, insert, update, delete
  on public.organizations, public.organization_members to service_role;

alter table public.organizations enable row level security;
alter table public.organization_members enable row level security;

create policy organizations_update on public.organizations for update to authenticated
  using (id = any ((select wildfire.owned_organizations())::uuid[]))
  with check (id = any ((select wildfire.owned_organizations())::uuid[]));
create policy organizations_delete on public.organizations for delete to authenticated
  using (id = any ((select wildfire.owned_organizations())::uuid[]));

create policy organization_members_select on public.organization_members
  for select to authenticated
  using (organization_id = any ((select wildfire.readable_organizations())::uuid[]));
create policy organization_members_update on public.organization_members
  for update to authenticated
  using (organization_id = any ((select wildfire.owned_organizations())::uuid[]))
  with check (organization_id = any ((select wildfire.owned_organizations())::uuid[]));
create policy organization_members_delete on public.organization_members
  for delete to authenticated
  using (
    user_id = (select auth.uid())
    or organization_id = any ((select wildfire.owned_organizations())::uuid[])
  );
