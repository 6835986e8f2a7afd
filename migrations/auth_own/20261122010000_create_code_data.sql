-- What a request for a link or code says about whom it is for, where the account is there but
-- nobody has come to it: anybody may have asked, so it counts only if that very code is redeemed.

create table if not exists _wildfire.code_data (
  -- Without a reference: auth.users may belong to another role.
  user_id uuid not null,
  -- SHA-256 of the stored token.
  target bytea not null,
  data jsonb not null,
  since timestamptz not null,
  primary key (user_id, target)
);
comment on table _wildfire.code_data is
  'What was said with the request for a code, until the code is redeemed.';

revoke all on _wildfire.code_data from public;

do $$
begin
  if to_regrole('supabase_auth_admin') is null
    or current_user = 'supabase_auth_admin'
  then
    return;
  end if;
  alter table _wildfire.code_data owner to supabase_auth_admin;
exception when insufficient_privilege then
  -- A managed database's administrator may not give tables away, but may lend them.
  grant select, insert, update, delete on _wildfire.code_data to supabase_auth_admin;
end
$$;
