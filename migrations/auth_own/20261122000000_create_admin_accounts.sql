-- Which unconfirmed accounts an admin opened. All others may have been opened by a stranger, who
-- gets nothing of hers into the hands of who proves to own the address.

create table if not exists _wildfire.admin_accounts (
  -- Without a reference: auth.users may belong to another role.
  user_id uuid primary key
);
comment on table _wildfire.admin_accounts is
  'Accounts that an admin opened and nobody has confirmed yet.';

revoke all on _wildfire.admin_accounts from public;

do $$
begin
  if to_regrole('supabase_auth_admin') is null
    or current_user = 'supabase_auth_admin'
  then
    return;
  end if;
  alter table _wildfire.admin_accounts owner to supabase_auth_admin;
exception when insufficient_privilege then
  -- A managed database's administrator may not give tables away, but may lend them.
  grant select, insert, update, delete on _wildfire.admin_accounts to supabase_auth_admin;
end
$$;

-- From before: invitations leave an account without a password, sign-ups of any kind with one.
-- Never twice: who has lost the mark since has lost it for good.
insert into _wildfire.admin_accounts (user_id)
select u.id
from auth.users as u
where u.invited_at is not null and coalesce(u.encrypted_password, '') = ''
  and u.email_confirmed_at is null and u.phone_confirmed_at is null
  and not exists (select from auth.schema_migrations where version = '20261122000000')
on conflict do nothing;

-- Once recorded there, among upstream's.
delete from auth.schema_migrations where version = '20261122000000';
