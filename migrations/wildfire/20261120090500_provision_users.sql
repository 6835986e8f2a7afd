-- Everybody who signs up owns an organization with a repository `default`.

-- An address's local part as a slug; empty when nothing of it can stand in one.
create function wildfire_private.slug_from_email(email text) returns text
language sql immutable parallel safe
as $$
  select btrim(
    left(regexp_replace(lower(split_part(coalesce(email, ''), '@', 1)), '[^a-z0-9]+', '-', 'g'), 39),
    '-'
  )
$$;

-- An organization for a user who has none; null for nobody. Takes no lock that lasts: a thousand users
-- who are inserted at once leave the server's table of locks as it was.
create function wildfire_private.make_organization(for_user uuid) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  wanted text;
  candidate text;
  made uuid;
begin
  select wildfire_private.slug_from_email(email) into wanted
  from wildfire_private.accounts where id = for_user;
  if not found then
    return null;
  end if;
  for attempt in 1..8 loop
    candidate := case
      when wanted = '' or attempt > 6 then 'user-' || left(md5(gen_random_uuid()::text), 12)
      when attempt = 1 and not wildfire_private.is_reserved_name(wanted) then wanted
      else wanted || '-' || left(md5(gen_random_uuid()::text), 4)
    end;
    insert into wildfire.organizations (slug, name)
    values (candidate, coalesce(nullif(wanted, ''), candidate))
    on conflict (slug) do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  insert into wildfire.organization_members (organization_id, user_id, role)
  values (made, for_user, 'owner');
  insert into wildfire.repositories (organization_id, slug, name)
  values (made, 'default', 'Default');
  return made;
end
$$;

-- The user's first organization, made if there is none. Two requests of one user wait for each other;
-- the lock is one of a few, because the server has room for some thousands only.
create function wildfire_private.ensure_organization(for_user uuid) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  found_id uuid;
begin
  perform pg_advisory_xact_lock(
    hashtext('wildfire_private.ensure_organization'), hashtext(for_user::text) & 255
  );
  select organization_id into found_id from wildfire.organization_members
  where user_id = for_user order by created_at, organization_id limit 1;
  return coalesce(found_id, wildfire_private.make_organization(for_user));
end
$$;

-- No other transaction sees the new user yet, so none makes the organization. A project's own trigger may
-- have given the user one.
-- Nothing here may keep anybody from signing up; the prompt API tries again when it is needed.
create function wildfire_private.after_user_insert() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from wildfire.organization_members where user_id = new.id) then
    perform wildfire_private.make_organization(new.id);
  end if;
  return null;
exception
  when others then
    raise warning 'No organization for user %: %', new.id, sqlerrm;
    return null;
end
$$;

-- Organizations nobody else belongs to go with their user; of the others the longest-serving member
-- with the most rights takes over if no owner is left.
create function wildfire_private.before_user_delete() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Two owners who are deleted at the same time wait for each other, so that the second one sees
  -- who is left.
  perform 1 from wildfire.organizations as organization
  where organization.id in (
    select member.organization_id from wildfire.organization_members as member
    where member.user_id = old.id
  )
  order by organization.id for update;
  delete from wildfire.organizations as organization
  using wildfire.organization_members as member
  where member.organization_id = organization.id and member.user_id = old.id
    and not exists (
      select 1 from wildfire.organization_members as other
      where other.organization_id = organization.id and other.user_id <> old.id
    );
  update wildfire.organization_members as heir set role = 'owner'
  from wildfire.organization_members as member
  where member.user_id = old.id and member.role = 'owner'
    and heir.organization_id = member.organization_id
    and heir.user_id = (
      select other.user_id from wildfire.organization_members as other
      where other.organization_id = member.organization_id and other.user_id <> old.id
      order by other.role <> 'owner', other.role <> 'editor', other.created_at, other.user_id
      limit 1
    );
  return old;
end
$$;

create trigger wildfire_after_user_insert after insert on auth.users
  for each row execute function wildfire_private.after_user_insert();
create trigger wildfire_before_user_delete before delete on auth.users
  for each row execute function wildfire_private.before_user_delete();

select wildfire_private.make_organization(id) from wildfire_private.accounts order by created_at, id;

-- Functions are callable by everybody unless that is taken back. What policies and checks need:
revoke all on all functions in schema wildfire_private from public;
grant execute on function
  wildfire_private.claims(), wildfire_private.caller(),
  wildfire_private.is_reserved_name(text), wildfire_private.is_slug(text, integer), wildfire_private.are_tags(text[]),
  wildfire_private.readable_organizations(), wildfire_private.writable_organizations(),
  wildfire_private.owned_organizations(), wildfire_private.default_repository(),
  wildfire_private.stored_template(text), wildfire_private.content_hash(text)
  to anon, authenticated, service_role;
grant execute on function
  wildfire_private.ensure_organization(uuid),
  wildfire_private.record_usage(uuid[], date[], bigint[], double precision[])
  to service_role;
