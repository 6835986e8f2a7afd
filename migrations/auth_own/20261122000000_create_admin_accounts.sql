-- Which unconfirmed accounts an admin opened. All others may have been opened by a stranger, who
-- gets nothing of hers into the hands of who proves to own the address.

create table if not exists _wildfire_auth.admin_accounts (
  -- Without a reference: auth.users may belong to another role.
  user_id uuid primary key
);
comment on table _wildfire_auth.admin_accounts is
  'Accounts that an admin opened and nobody has confirmed yet.';

revoke all on _wildfire_auth.admin_accounts from public;

-- From before, where upstream's service made them: invitations leave an account without a password,
-- sign-ups of any kind with one.
insert into _wildfire_auth.admin_accounts (user_id)
select u.id
from auth.users as u
where u.invited_at is not null and coalesce(u.encrypted_password, '') = ''
  and u.email_confirmed_at is null and u.phone_confirmed_at is null
on conflict do nothing;
