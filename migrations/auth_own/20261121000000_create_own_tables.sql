-- What this server keeps beside upstream's schema, which stays as upstream has it: mails on
-- their way and how often codes were guessed at. Nobody but the auth service may read either.
--
-- The schema is there with its ledger, which the same role keeps.

create table if not exists _wildfire_auth.mail_outbox (
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
comment on table _wildfire_auth.mail_outbox is 'Mails that are stored but not known to be sent.';

create table if not exists _wildfire_auth.code_tries (
  -- SHA-256 of what is guessed at: a stored token, or the name of a second factor.
  target bytea primary key,
  tries integer not null,
  since timestamptz not null
);
comment on table _wildfire_auth.code_tries is 'How often a code was tried.';

revoke all on _wildfire_auth.mail_outbox, _wildfire_auth.code_tries from public;
