-- Repositories hold prompts. Public ones can be read by everybody, private ones by members.

create table wildfire.repositories (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references wildfire.organizations (id) on delete cascade,
  slug text not null
    constraint repositories_slug_check check (wildfire_private.is_slug(slug, 64))
    constraint repositories_slug_reserved check (not wildfire_private.is_reserved_name(slug)),
  name text not null
    constraint repositories_name_check check (char_length(name) <= 120 and btrim(name) <> ''),
  description text
    constraint repositories_description_check check (char_length(description) <= 1000),
  readme text not null default ''
    constraint repositories_readme_check check (octet_length(readme) <= 262144),
  default_branch text not null default 'main'
    constraint repositories_default_branch_check
    check (char_length(default_branch) <= 120 and btrim(default_branch) <> ''),
  visibility text not null default 'private'
    constraint repositories_visibility_check check (visibility in ('public', 'private')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, slug)
);
comment on table wildfire.repositories is 'Collections of prompts';
create index repositories_public_idx
  on wildfire.repositories (organization_id) where visibility = 'public';

create trigger repositories_touch before update on wildfire.repositories
  for each row execute function wildfire_private.touch();

-- Short addresses resolve in `default`, so it stays where it is for as long as its organization.
create function wildfire_private.keep_default_repository() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'The default repository keeps its name'
      using errcode = 'check_violation', constraint = 'repositories_default_kept';
  end if;
  if exists (select 1 from wildfire.organizations where id = old.organization_id) then
    raise exception 'The default repository cannot be deleted'
      using errcode = 'check_violation', constraint = 'repositories_default_kept';
  end if;
  return old;
end
$$;

create trigger repositories_keep_default_name before update on wildfire.repositories
  for each row when (old.slug = 'default' and new.slug <> 'default')
  execute function wildfire_private.keep_default_repository();
create trigger repositories_keep_default before delete on wildfire.repositories
  for each row when (old.slug = 'default')
  execute function wildfire_private.keep_default_repository();

revoke all on wildfire.repositories from public, anon, authenticated, service_role;
grant select on wildfire.repositories to anon, authenticated;
grant
  insert (organization_id, slug, name, description, readme, default_branch, visibility),
  update (slug, name, description, readme, default_branch, visibility),
  delete
  on wildfire.repositories to authenticated;
grant select, insert, update, delete on wildfire.repositories to service_role;

alter table wildfire.repositories enable row level security;

create policy repositories_select on wildfire.repositories for select to anon, authenticated
  using (
    visibility = 'public'
    or organization_id = any ((select wildfire_private.readable_organizations())::uuid[])
  );
create policy repositories_insert on wildfire.repositories for insert to authenticated
  with check (organization_id = any ((select wildfire_private.writable_organizations())::uuid[]));
create policy repositories_update on wildfire.repositories for update to authenticated
  using (organization_id = any ((select wildfire_private.owned_organizations())::uuid[]))
  with check (organization_id = any ((select wildfire_private.owned_organizations())::uuid[]));
create policy repositories_delete on wildfire.repositories for delete to authenticated
  using (organization_id = any ((select wildfire_private.owned_organizations())::uuid[]));

-- The owner of a public repository is public as well.
create policy organizations_select on wildfire.organizations for select to anon, authenticated
  using (
    id = any ((select wildfire_private.readable_organizations())::uuid[])
    or exists (
      select 1 from wildfire.repositories as repository
      where repository.organization_id = organizations.id and repository.visibility = 'public'
    )
  );
