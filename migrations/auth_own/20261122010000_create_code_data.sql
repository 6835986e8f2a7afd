-- What a request for a link or code says about whom it is for, where the account is there but
-- nobody has come to it: anybody may have asked, so it counts only if that very code is redeemed.

create table if not exists _wildfire_auth.code_data (
  -- Without a reference: auth.users may belong to another role.
  user_id uuid not null,
  -- SHA-256 of the stored token.
  target bytea not null,
  data jsonb not null,
  since timestamptz not null,
  primary key (user_id, target)
);
comment on table _wildfire_auth.code_data is
  'What was said with the request for a code, until the code is redeemed.';

revoke all on _wildfire_auth.code_data from public;
