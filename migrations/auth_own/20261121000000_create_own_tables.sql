-- What this server keeps beside upstream's schema, which stays as upstream has it: mails on
-- their way and how often codes were guessed at. Nobody but the auth service may read either.

create table if not exists _wildfire.mail_outbox (
  id uuid primary key,
  -- The mail and what to take back if it is refused; it holds links that sign in, so it is
  -- encrypted with a key made from the JWT secret.
  sealed bytea not null,
  created_at timestamptz not null,
  -- Until then one process is sending it.
  leased_until timestamptz not null,
  -- Whether it was taken up again after its first sender died.
  is_second_try boolean not null default false
);
comment on table _wildfire.mail_outbox is 'Mails that are stored but not known to be sent.';

create table if not exists _wildfire.code_tries (
  -- SHA-256 of what is guessed at: a stored token, or the name of a second factor.
  target bytea primary key,
  tries integer not null,
  since timestamptz not null
);
comment on table _wildfire.code_tries is 'How often a code was tried.';

revoke all on _wildfire.mail_outbox, _wildfire.code_tries from public;

do $$
declare
  own text;
begin
  if to_regrole('supabase_auth_admin') is null
    or current_user = 'supabase_auth_admin'
  then
    return;
  end if;
  grant usage on schema _wildfire to supabase_auth_admin;
  foreach own in array array['mail_outbox', 'code_tries'] loop
    begin
      execute format('alter table _wildfire.%I owner to supabase_auth_admin', own);
    exception when insufficient_privilege then
      -- A managed database's administrator may not give tables away, but may lend them.
      execute format('grant select, insert, update, delete on _wildfire.%I to supabase_auth_admin', own);
    end;
  end loop;
end
$$;

-- Once recorded there, among upstream's.
delete from auth.schema_migrations where version = '20261121000000';
