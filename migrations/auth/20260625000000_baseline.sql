-- The auth schema in its final shape.
--
-- One file takes an empty database, the five-table schema of 2017 or any later
-- release of the same service to one and the same catalog, so a database can
-- move between Wildfire and supabase/auth in both directions. Every statement
-- therefore asks what is there before it changes anything. It is meant to run
-- in one transaction, as supabase_auth_admin or as a superuser.

-- Even "if not exists" takes the right to create schemas, which the service may lack.
do $$
begin
  if to_regnamespace('auth') is null then
    create schema auth;
  end if;
end
$$;

-- Names that changed over the years, moved before the tables are described.
do $$
declare
  renamed record;
begin
  for renamed in
    select * from (values
      ('users', 'confirmed_at', 'email_confirmed_at'),
      ('users', 'email_change_token', 'email_change_token_new'),
      ('identities', 'id', 'provider_id')
    ) as list (tab, was, now)
  loop
    if exists (
      select from information_schema.columns
      where table_schema = 'auth' and table_name = renamed.tab and column_name = renamed.was
    ) and not exists (
      select from information_schema.columns
      where table_schema = 'auth' and table_name = renamed.tab and column_name = renamed.now
    ) then
      execute format('alter table auth.%I rename column %I to %I',
        renamed.tab, renamed.was, renamed.now);
    end if;
  end loop;
end
$$;

-- Enumerations; a label missing from an older one is appended.
do $$
declare
  kind record;
  label text;
begin
  for kind in
    select * from (values
      ('aal_level', array['aal1', 'aal2', 'aal3']),
      ('code_challenge_method', array['s256', 'plain']),
      ('factor_status', array['unverified', 'verified']),
      ('factor_type', array['totp', 'webauthn', 'phone']),
      ('oauth_authorization_status', array['pending', 'approved', 'denied', 'expired']),
      ('oauth_client_type', array['public', 'confidential']),
      ('oauth_registration_type', array['dynamic', 'manual']),
      ('oauth_response_type', array['code']),
      ('one_time_token_type', array['confirmation_token', 'reauthentication_token',
        'recovery_token', 'email_change_token_new', 'email_change_token_current',
        'phone_change_token'])
    ) as list (name, labels)
  loop
    if to_regtype('auth.' || kind.name) is null then
      execute format('create type auth.%I as enum (%s)', kind.name,
        (select string_agg(quote_literal(l), ', ') from unnest(kind.labels) as l));
    else
      foreach label in array kind.labels loop
        execute format('alter type auth.%I add value if not exists %L', kind.name, label);
      end loop;
    end if;
  end loop;
end
$$;

-- ---------------------------------------------------------------------------
-- Tables. Keys, checks and references follow further down, so that a table
-- from an older release ends with the same ones as a new table.

create table if not exists auth.users (
  instance_id uuid,
  id uuid not null,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.users
  add column if not exists phone text default null::varchar,
  add column if not exists phone_confirmed_at timestamptz,
  add column if not exists phone_change text default ''::varchar,
  add column if not exists phone_change_token varchar(255) default '',
  add column if not exists phone_change_sent_at timestamptz;

alter table auth.users
  add column if not exists confirmed_at timestamptz
    generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  add column if not exists email_change_token_current varchar(255) default '',
  add column if not exists email_change_confirm_status smallint default 0,
  add column if not exists banned_until timestamptz,
  add column if not exists reauthentication_token varchar(255) default '',
  add column if not exists reauthentication_sent_at timestamptz,
  add column if not exists is_sso_user boolean not null default false,
  add column if not exists deleted_at timestamptz,
  add column if not exists is_anonymous boolean not null default false;

create table if not exists auth.identities (
  provider_id text not null,
  user_id uuid not null,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.identities
  add column if not exists email text
    generated always as (lower(identity_data ->> 'email')) stored;

-- Identities used to be keyed by what is now provider_id.
do $$
begin
  if not exists (
    select from information_schema.columns
    where table_schema = 'auth' and table_name = 'identities' and column_name = 'id'
  ) then
    alter table auth.identities drop constraint if exists identities_pkey;
    alter table auth.identities add column id uuid not null default gen_random_uuid();
  end if;
end
$$;

create table if not exists auth.sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.sessions
  add column if not exists factor_id uuid,
  add column if not exists aal auth.aal_level,
  add column if not exists not_after timestamptz,
  add column if not exists refreshed_at timestamp,
  add column if not exists user_agent text,
  add column if not exists ip inet,
  add column if not exists tag text,
  add column if not exists oauth_client_id uuid,
  add column if not exists refresh_token_hmac_key text,
  add column if not exists refresh_token_counter bigint,
  add column if not exists scopes text;

create table if not exists auth.refresh_tokens (
  instance_id uuid,
  id bigserial not null,
  token varchar(255),
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.refresh_tokens
  add column if not exists parent varchar(255),
  add column if not exists session_id uuid;

create table if not exists auth.instances (
  id uuid not null,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz
);

create table if not exists auth.audit_log_entries (
  instance_id uuid,
  id uuid not null,
  payload json,
  created_at timestamptz
);

alter table auth.audit_log_entries
  add column if not exists ip_address varchar(64) not null default '';

create table if not exists auth.schema_migrations (
  version varchar(255) not null
);

create table if not exists auth.mfa_factors (
  id uuid not null,
  user_id uuid not null,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text
);

alter table auth.mfa_factors
  add column if not exists phone text,
  add column if not exists last_challenged_at timestamptz,
  add column if not exists web_authn_credential jsonb,
  add column if not exists web_authn_aaguid uuid,
  add column if not exists last_webauthn_challenge_data jsonb;

create table if not exists auth.mfa_challenges (
  id uuid not null,
  factor_id uuid not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null
);

alter table auth.mfa_challenges
  add column if not exists otp_code text,
  add column if not exists web_authn_session_data jsonb;

create table if not exists auth.mfa_amr_claims (
  session_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null
);

create table if not exists auth.one_time_tokens (
  id uuid not null,
  user_id uuid not null,
  token_type auth.one_time_token_type not null,
  token_hash text not null,
  relates_to text not null,
  created_at timestamp not null default now(),
  updated_at timestamp not null default now()
);

create table if not exists auth.flow_state (
  id uuid not null,
  user_id uuid,
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null
);

alter table auth.flow_state
  alter column auth_code drop not null,
  alter column code_challenge drop not null,
  alter column code_challenge_method drop not null,
  add column if not exists auth_code_issued_at timestamptz,
  add column if not exists invite_token text,
  add column if not exists referrer text,
  add column if not exists oauth_client_state_id uuid,
  add column if not exists linking_target_id uuid,
  add column if not exists email_optional boolean not null default false;

create table if not exists auth.oauth_client_states (
  id uuid not null,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null
);

create table if not exists auth.sso_providers (
  id uuid not null,
  resource_id text,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.sso_providers
  add column if not exists disabled boolean;

create table if not exists auth.sso_domains (
  id uuid not null,
  sso_provider_id uuid not null,
  domain text not null,
  created_at timestamptz,
  updated_at timestamptz
);

create table if not exists auth.saml_providers (
  id uuid not null,
  sso_provider_id uuid not null,
  entity_id text not null,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.saml_providers
  add column if not exists name_id_format text;

create table if not exists auth.saml_relay_states (
  id uuid not null,
  sso_provider_id uuid not null,
  request_id text not null,
  for_email text,
  redirect_to text,
  created_at timestamptz,
  updated_at timestamptz
);

alter table auth.saml_relay_states
  drop column if exists from_ip_address,
  add column if not exists flow_state_id uuid;

create table if not exists auth.oauth_clients (
  id uuid not null,
  client_secret_hash text,
  registration_type auth.oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text,
  client_uri text,
  logo_uri text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

alter table auth.oauth_clients
  drop column if exists client_id,
  alter column client_secret_hash drop not null,
  add column if not exists client_type auth.oauth_client_type not null default 'confidential',
  add column if not exists token_endpoint_auth_method text;

-- A client registered before the method was stored used the one its type implies.
update auth.oauth_clients
set token_endpoint_auth_method =
  case client_type when 'public' then 'none' else 'client_secret_basic' end
where token_endpoint_auth_method is null;

alter table auth.oauth_clients
  alter column token_endpoint_auth_method set not null;

create table if not exists auth.oauth_authorizations (
  id uuid not null,
  authorization_id text not null,
  client_id uuid not null,
  user_id uuid,
  redirect_uri text not null,
  scope text not null,
  state text,
  resource text,
  code_challenge text,
  code_challenge_method auth.code_challenge_method,
  response_type auth.oauth_response_type not null default 'code',
  status auth.oauth_authorization_status not null default 'pending',
  authorization_code text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '3 minutes',
  approved_at timestamptz
);

alter table auth.oauth_authorizations
  add column if not exists nonce text;

create table if not exists auth.oauth_consents (
  id uuid not null,
  user_id uuid not null,
  client_id uuid not null,
  scopes text not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz
);

create table if not exists auth.custom_oauth_providers (
  id uuid not null default gen_random_uuid(),
  provider_type text not null,
  identifier text not null,
  name text not null,
  client_id text not null,
  client_secret text not null,
  acceptable_client_ids text[] not null default '{}',
  scopes text[] not null default '{}',
  pkce_enabled boolean not null default true,
  attribute_mapping jsonb not null default '{}',
  authorization_params jsonb not null default '{}',
  enabled boolean not null default true,
  email_optional boolean not null default false,
  issuer text,
  discovery_url text,
  skip_nonce_check boolean not null default false,
  cached_discovery jsonb,
  discovery_cached_at timestamptz,
  authorization_url text,
  token_url text,
  userinfo_url text,
  jwks_uri text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

alter table auth.custom_oauth_providers
  add column if not exists custom_claims_allowlist text[] not null default '{}';

create table if not exists auth.webauthn_credentials (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  attestation_type text not null default '',
  aaguid uuid,
  sign_count bigint not null default 0,
  transports jsonb not null default '[]',
  backup_eligible boolean not null default false,
  backed_up boolean not null default false,
  friendly_name text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);

create table if not exists auth.webauthn_challenges (
  id uuid not null default gen_random_uuid(),
  user_id uuid,
  challenge_type text not null,
  session_data jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

-- ---------------------------------------------------------------------------
-- What older releases had and the final shape has not.

do $$
begin
  alter table auth.users drop constraint if exists users_email_key;
exception when dependent_objects_still_exist then
  raise notice 'auth.users: something depends on the constraint users_email_key; single sign-on users with a known address will be refused until it is dropped';
end
$$;

alter table auth.refresh_tokens drop constraint if exists refresh_tokens_parent_fkey;
alter table auth.mfa_factors drop constraint if exists mfa_factors_phone_key;
alter table auth.oauth_clients drop constraint if exists oauth_clients_client_id_key;
drop table if exists auth.sso_sessions;
drop index if exists auth.refresh_tokens_token_idx;
drop index if exists auth.oauth_clients_client_id_idx;
drop index if exists auth.unique_verified_phone_factor;

-- The phone columns were varchar(15). Changing the type rewrites the table and
-- is impossible under a view, so it happens only where it is still needed.
do $$
declare
  outdated text;
begin
  for outdated in
    select column_name from information_schema.columns
    where table_schema = 'auth' and table_name = 'users'
      and column_name in ('phone', 'phone_change') and data_type <> 'text'
  loop
    execute format('alter table auth.users alter column %I type text', outdated);
  end loop;
end
$$;

-- An index of this name once covered the address as typed, or all-digit tokens.
do $$
declare
  stale record;
begin
  for stale in
    select indexname from pg_indexes
    where schemaname = 'auth' and tablename = 'users'
      and ((indexname = 'users_instance_id_email_idx' and indexdef not like '%lower(%')
        or (indexname in ('confirmation_token_idx', 'recovery_token_idx',
              'email_change_token_current_idx', 'email_change_token_new_idx',
              'reauthentication_token_idx')
            and indexdef not like '%[0-9 ]*%'))
  loop
    execute format('drop index auth.%I', stale.indexname);
  end loop;
end
$$;

-- ---------------------------------------------------------------------------
-- Keys, checks and references, in an order that lets each find its target.

do $$
declare
  rule record;
begin
  for rule in
    select * from (values
      ('users', 'users_pkey', 'primary key (id)'),
      ('users', 'users_phone_key', 'unique (phone)'),
      ('users', 'users_email_change_confirm_status_check',
        'check (email_change_confirm_status >= 0 and email_change_confirm_status <= 2)'),
      ('identities', 'identities_pkey', 'primary key (id)'),
      ('identities', 'identities_provider_id_provider_unique', 'unique (provider_id, provider)'),
      ('sessions', 'sessions_pkey', 'primary key (id)'),
      ('sessions', 'sessions_scopes_length', 'check (char_length(scopes) <= 4096)'),
      ('refresh_tokens', 'refresh_tokens_pkey', 'primary key (id)'),
      ('refresh_tokens', 'refresh_tokens_token_unique', 'unique (token)'),
      ('instances', 'instances_pkey', 'primary key (id)'),
      ('audit_log_entries', 'audit_log_entries_pkey', 'primary key (id)'),
      ('schema_migrations', 'schema_migrations_pkey', 'primary key (version)'),
      ('mfa_factors', 'mfa_factors_pkey', 'primary key (id)'),
      ('mfa_factors', 'mfa_factors_last_challenged_at_key', 'unique (last_challenged_at)'),
      ('mfa_challenges', 'mfa_challenges_pkey', 'primary key (id)'),
      ('mfa_amr_claims', 'amr_id_pk', 'primary key (id)'),
      ('mfa_amr_claims', 'mfa_amr_claims_session_id_authentication_method_pkey',
        'unique (session_id, authentication_method)'),
      ('one_time_tokens', 'one_time_tokens_pkey', 'primary key (id)'),
      ('one_time_tokens', 'one_time_tokens_token_hash_check', 'check (char_length(token_hash) > 0)'),
      ('flow_state', 'flow_state_pkey', 'primary key (id)'),
      ('oauth_client_states', 'oauth_client_states_pkey', 'primary key (id)'),
      ('sso_providers', 'sso_providers_pkey', 'primary key (id)'),
      -- "= null" is never true, but char_length(null) > 0 is not false either.
      ('sso_providers', 'resource_id not empty',
        'check (resource_id = null or char_length(resource_id) > 0)'),
      ('sso_domains', 'sso_domains_pkey', 'primary key (id)'),
      ('sso_domains', 'domain not empty', 'check (char_length(domain) > 0)'),
      ('saml_providers', 'saml_providers_pkey', 'primary key (id)'),
      ('saml_providers', 'saml_providers_entity_id_key', 'unique (entity_id)'),
      ('saml_providers', 'entity_id not empty', 'check (char_length(entity_id) > 0)'),
      ('saml_providers', 'metadata_xml not empty', 'check (char_length(metadata_xml) > 0)'),
      ('saml_providers', 'metadata_url not empty',
        'check (metadata_url = null or char_length(metadata_url) > 0)'),
      ('saml_relay_states', 'saml_relay_states_pkey', 'primary key (id)'),
      ('saml_relay_states', 'request_id not empty', 'check (char_length(request_id) > 0)'),
      ('oauth_clients', 'oauth_clients_pkey', 'primary key (id)'),
      ('oauth_clients', 'oauth_clients_client_name_length', 'check (char_length(client_name) <= 1024)'),
      ('oauth_clients', 'oauth_clients_client_uri_length', 'check (char_length(client_uri) <= 2048)'),
      ('oauth_clients', 'oauth_clients_logo_uri_length', 'check (char_length(logo_uri) <= 2048)'),
      ('oauth_clients', 'oauth_clients_token_endpoint_auth_method_check',
        'check (token_endpoint_auth_method in (''client_secret_basic'', ''client_secret_post'', ''none''))'),
      ('oauth_authorizations', 'oauth_authorizations_pkey', 'primary key (id)'),
      ('oauth_authorizations', 'oauth_authorizations_authorization_id_key', 'unique (authorization_id)'),
      ('oauth_authorizations', 'oauth_authorizations_authorization_code_key', 'unique (authorization_code)'),
      ('oauth_authorizations', 'oauth_authorizations_authorization_code_length',
        'check (char_length(authorization_code) <= 255)'),
      ('oauth_authorizations', 'oauth_authorizations_code_challenge_length',
        'check (char_length(code_challenge) <= 128)'),
      ('oauth_authorizations', 'oauth_authorizations_expires_at_future', 'check (expires_at > created_at)'),
      ('oauth_authorizations', 'oauth_authorizations_nonce_length', 'check (char_length(nonce) <= 255)'),
      ('oauth_authorizations', 'oauth_authorizations_redirect_uri_length',
        'check (char_length(redirect_uri) <= 2048)'),
      ('oauth_authorizations', 'oauth_authorizations_resource_length', 'check (char_length(resource) <= 2048)'),
      ('oauth_authorizations', 'oauth_authorizations_scope_length', 'check (char_length(scope) <= 4096)'),
      ('oauth_authorizations', 'oauth_authorizations_state_length', 'check (char_length(state) <= 4096)'),
      ('oauth_consents', 'oauth_consents_pkey', 'primary key (id)'),
      ('oauth_consents', 'oauth_consents_user_client_unique', 'unique (user_id, client_id)'),
      ('oauth_consents', 'oauth_consents_revoked_after_granted',
        'check (revoked_at is null or revoked_at >= granted_at)'),
      ('oauth_consents', 'oauth_consents_scopes_length', 'check (char_length(scopes) <= 2048)'),
      ('oauth_consents', 'oauth_consents_scopes_not_empty', 'check (char_length(trim(scopes)) > 0)'),
      ('custom_oauth_providers', 'custom_oauth_providers_pkey', 'primary key (id)'),
      ('custom_oauth_providers', 'custom_oauth_providers_identifier_key', 'unique (identifier)'),
      ('custom_oauth_providers', 'custom_oauth_providers_provider_type_check',
        'check (provider_type in (''oauth2'', ''oidc''))'),
      ('custom_oauth_providers', 'custom_oauth_providers_identifier_format',
        'check (identifier ~ ''^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_name_length',
        'check (char_length(name) >= 1 and char_length(name) <= 100)'),
      ('custom_oauth_providers', 'custom_oauth_providers_client_id_length',
        'check (char_length(client_id) >= 1 and char_length(client_id) <= 512)'),
      ('custom_oauth_providers', 'custom_oauth_providers_issuer_length',
        'check (issuer is null or (char_length(issuer) >= 1 and char_length(issuer) <= 2048))'),
      ('custom_oauth_providers', 'custom_oauth_providers_discovery_url_length',
        'check (discovery_url is null or char_length(discovery_url) <= 2048)'),
      ('custom_oauth_providers', 'custom_oauth_providers_authorization_url_length',
        'check (authorization_url is null or char_length(authorization_url) <= 2048)'),
      ('custom_oauth_providers', 'custom_oauth_providers_token_url_length',
        'check (token_url is null or char_length(token_url) <= 2048)'),
      ('custom_oauth_providers', 'custom_oauth_providers_userinfo_url_length',
        'check (userinfo_url is null or char_length(userinfo_url) <= 2048)'),
      ('custom_oauth_providers', 'custom_oauth_providers_jwks_uri_length',
        'check (jwks_uri is null or char_length(jwks_uri) <= 2048)'),
      ('custom_oauth_providers', 'custom_oauth_providers_authorization_url_https',
        'check (authorization_url is null or authorization_url like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_token_url_https',
        'check (token_url is null or token_url like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_userinfo_url_https',
        'check (userinfo_url is null or userinfo_url like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_jwks_uri_https',
        'check (jwks_uri is null or jwks_uri like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_oidc_issuer_https',
        'check (provider_type <> ''oidc'' or issuer is null or issuer like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_oidc_discovery_url_https',
        'check (provider_type <> ''oidc'' or discovery_url is null or discovery_url like ''https://%'')'),
      ('custom_oauth_providers', 'custom_oauth_providers_oidc_requires_issuer',
        'check (provider_type <> ''oidc'' or issuer is not null)'),
      ('custom_oauth_providers', 'custom_oauth_providers_oauth2_requires_endpoints',
        'check (provider_type <> ''oauth2'' or (authorization_url is not null and token_url is not null and userinfo_url is not null))'),
      ('webauthn_credentials', 'webauthn_credentials_pkey', 'primary key (id)'),
      ('webauthn_challenges', 'webauthn_challenges_pkey', 'primary key (id)'),
      ('webauthn_challenges', 'webauthn_challenges_challenge_type_check',
        'check (challenge_type in (''signup'', ''registration'', ''authentication''))'),
      ('identities', 'identities_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('sessions', 'sessions_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('sessions', 'sessions_oauth_client_id_fkey',
        'foreign key (oauth_client_id) references auth.oauth_clients (id) on delete cascade'),
      ('refresh_tokens', 'refresh_tokens_session_id_fkey',
        'foreign key (session_id) references auth.sessions (id) on delete cascade'),
      ('mfa_factors', 'mfa_factors_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('mfa_challenges', 'mfa_challenges_auth_factor_id_fkey',
        'foreign key (factor_id) references auth.mfa_factors (id) on delete cascade'),
      ('mfa_amr_claims', 'mfa_amr_claims_session_id_fkey',
        'foreign key (session_id) references auth.sessions (id) on delete cascade'),
      ('one_time_tokens', 'one_time_tokens_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('sso_domains', 'sso_domains_sso_provider_id_fkey',
        'foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade'),
      ('saml_providers', 'saml_providers_sso_provider_id_fkey',
        'foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade'),
      ('saml_relay_states', 'saml_relay_states_sso_provider_id_fkey',
        'foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade'),
      ('saml_relay_states', 'saml_relay_states_flow_state_id_fkey',
        'foreign key (flow_state_id) references auth.flow_state (id) on delete cascade'),
      ('oauth_authorizations', 'oauth_authorizations_client_id_fkey',
        'foreign key (client_id) references auth.oauth_clients (id) on delete cascade'),
      ('oauth_authorizations', 'oauth_authorizations_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('oauth_consents', 'oauth_consents_client_id_fkey',
        'foreign key (client_id) references auth.oauth_clients (id) on delete cascade'),
      ('oauth_consents', 'oauth_consents_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('webauthn_credentials', 'webauthn_credentials_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade'),
      ('webauthn_challenges', 'webauthn_challenges_user_id_fkey',
        'foreign key (user_id) references auth.users (id) on delete cascade')
    ) as list (tab, name, definition)
  loop
    if not exists (
      select from pg_constraint
      where conrelid = format('auth.%I', rule.tab)::regclass
        and (conname = rule.name
          or (contype = 'p' and rule.definition like 'primary key%'))
    ) then
      execute format('alter table auth.%I add constraint %I %s', rule.tab, rule.name, rule.definition);
    end if;
  end loop;
end
$$;

-- ---------------------------------------------------------------------------
-- Indexes.

create index if not exists users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index if not exists users_instance_id_idx on auth.users (instance_id);
create index if not exists users_is_anonymous_idx on auth.users (is_anonymous);
create unique index if not exists users_email_partial_key on auth.users (email)
  where is_sso_user = false;

-- A token is unique once it is a hash; short numeric codes may repeat.
create unique index if not exists confirmation_token_idx on auth.users (confirmation_token)
  where confirmation_token !~ '^[0-9 ]*$';
create unique index if not exists recovery_token_idx on auth.users (recovery_token)
  where recovery_token !~ '^[0-9 ]*$';
create unique index if not exists email_change_token_current_idx on auth.users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index if not exists email_change_token_new_idx on auth.users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index if not exists reauthentication_token_idx on auth.users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';

create index if not exists identities_user_id_idx on auth.identities (user_id);
create index if not exists identities_email_idx on auth.identities (email text_pattern_ops);

create index if not exists sessions_user_id_idx on auth.sessions (user_id);
create index if not exists user_id_created_at_idx on auth.sessions (user_id, created_at);
create index if not exists sessions_not_after_idx on auth.sessions (not_after desc);
create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);

create index if not exists refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index if not exists refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index if not exists refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index if not exists refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index if not exists refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

create index if not exists audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

create index if not exists mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create index if not exists factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index if not exists unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);
create unique index if not exists mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id)
  where trim(friendly_name) <> '';
create index if not exists mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

create index if not exists one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create index if not exists one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create unique index if not exists one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);

create index if not exists idx_auth_code on auth.flow_state (auth_code);
create index if not exists idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
create index if not exists flow_state_created_at_idx on auth.flow_state (created_at desc);
create index if not exists idx_oauth_client_states_created_at on auth.oauth_client_states (created_at);

create unique index if not exists sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));
create index if not exists sso_providers_resource_id_pattern_idx on auth.sso_providers (resource_id text_pattern_ops);
create index if not exists sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);
create unique index if not exists sso_domains_domain_idx on auth.sso_domains (lower(domain));
create index if not exists saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);
create index if not exists saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
create index if not exists saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index if not exists saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);

create index if not exists oauth_clients_deleted_at_idx on auth.oauth_clients (deleted_at);
create index if not exists oauth_auth_pending_exp_idx on auth.oauth_authorizations (expires_at)
  where status = 'pending';
create index if not exists oauth_consents_active_client_idx on auth.oauth_consents (client_id)
  where revoked_at is null;
create index if not exists oauth_consents_active_user_client_idx on auth.oauth_consents (user_id, client_id)
  where revoked_at is null;
create index if not exists oauth_consents_user_order_idx on auth.oauth_consents (user_id, granted_at desc);

create index if not exists custom_oauth_providers_identifier_idx on auth.custom_oauth_providers (identifier);
create index if not exists custom_oauth_providers_provider_type_idx on auth.custom_oauth_providers (provider_type);
create index if not exists custom_oauth_providers_enabled_idx on auth.custom_oauth_providers (enabled);
create index if not exists custom_oauth_providers_created_at_idx on auth.custom_oauth_providers (created_at);

create unique index if not exists webauthn_credentials_credential_id_key on auth.webauthn_credentials (credential_id);
create index if not exists webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);
create index if not exists webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);
create index if not exists webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);

-- ---------------------------------------------------------------------------
-- Who is asking, for policies. PostgREST sets the claims either as one JSON
-- document or, in old versions, one setting per claim; the latter wins.

create or replace function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

create or replace function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

create or replace function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

-- ---------------------------------------------------------------------------
-- Accounts from before identities existed get the one their address implies.

insert into auth.identities
  (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select u.id::text, u.id, jsonb_build_object('sub', u.id::text, 'email', u.email), 'email',
  u.last_sign_in_at, now(), now()
from auth.users as u
where u.email is not null and not u.is_sso_user
  and not exists (select from auth.schema_migrations where version = '20221125140132')
  and not exists (select from auth.identities as i where i.user_id = u.id)
on conflict do nothing;

-- ---------------------------------------------------------------------------
-- A superuser hands everything over to the role the service runs as, but for the schema itself: the
-- Supabase CLI's `migration down` and its reset of a remote database drop every schema that does
-- not belong to supabase_admin.
do $$
declare
  owned record;
begin
  if to_regrole('supabase_auth_admin') is null or current_user = 'supabase_auth_admin'
    or not (select rolsuper from pg_roles where rolname = current_user) then
    return;
  end if;
  if to_regrole('supabase_admin') is not null then
    alter schema auth owner to supabase_admin;
  end if;
  grant all on schema auth to supabase_auth_admin;
  for owned in
    select c.relname as name, c.relkind as kind from pg_class as c
    where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
  loop
    execute format('alter table auth.%I owner to supabase_auth_admin', owned.name);
  end loop;
  for owned in
    select t.typname as name from pg_type as t
    where t.typnamespace = 'auth'::regnamespace and t.typtype = 'e'
  loop
    execute format('alter type auth.%I owner to supabase_auth_admin', owned.name);
  end loop;
  alter function auth.uid() owner to supabase_auth_admin;
  alter function auth.role() owner to supabase_auth_admin;
  alter function auth.email() owner to supabase_auth_admin;
  alter function auth.jwt() owner to supabase_auth_admin;
end
$$;

-- ---------------------------------------------------------------------------
-- Row level security without policies closes these tables to API roles; the
-- role postgres may read them and pass that on.

do $$
declare
  protected text;
begin
  foreach protected in array array['audit_log_entries', 'flow_state', 'identities', 'instances',
    'mfa_amr_claims', 'mfa_challenges', 'mfa_factors', 'one_time_tokens', 'refresh_tokens',
    'saml_providers', 'saml_relay_states', 'schema_migrations', 'sessions', 'sso_domains',
    'sso_providers', 'users']
  loop
    execute format('alter table auth.%I enable row level security', protected);
    if to_regrole('postgres') is not null then
      execute format('grant select on auth.%I to postgres with grant option', protected);
    end if;
  end loop;
end
$$;

-- Every version this file stands for, so that either server finds nothing left to do.
insert into auth.schema_migrations (version)
select applied from unnest(array[
  '00', '20210710035447', '20210722035447', '20210730183235', '20210909172000',
  '20210927181326', '20211122151130', '20211124214934', '20211202183645', '20220114185221',
  '20220114185340', '20220224000811', '20220323170000', '20220429102000', '20220531120530',
  '20220614074223', '20220811173540', '20221003041349', '20221003041400', '20221011041400',
  '20221020193600', '20221021073300', '20221021082433', '20221027105023', '20221114143122',
  '20221114143410', '20221125140132', '20221208132122', '20221215195500', '20221215195800',
  '20221215195900', '20230116124310', '20230116124412', '20230131181311', '20230322519590',
  '20230402418590', '20230411005111', '20230508135423', '20230523124323', '20230818113222',
  '20230914180801', '20231027141322', '20231114161723', '20231117164230', '20240115144230',
  '20240214120130', '20240306115329', '20240314092811', '20240427152123', '20240612123726',
  '20240729123726', '20240802193726', '20240806073726', '20241009103726', '20250717082212',
  '20250731150234', '20250804100000', '20250901200500', '20250903112500', '20250904133000',
  '20250925093508', '20251007112900', '20251104100000', '20251111201300', '20251201000000',
  '20260115000000', '20260121000000', '20260219120000', '20260302000000', '20260625000000'
]) as applied
where not exists (select from auth.schema_migrations where version = applied);
