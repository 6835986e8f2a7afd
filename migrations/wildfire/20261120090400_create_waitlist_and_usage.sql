-- The early-access list, and how much everybody uses the API.

create table wildfire.waitlist_entries (
  email text primary key
    constraint waitlist_entries_email_check
    check (email = lower(btrim(email)) and char_length(email) between 3 and 254),
  created_at timestamptz not null default now()
);
comment on table wildfire.waitlist_entries is 'Addresses waiting for early access';

create table wildfire.api_usage (
  user_id uuid not null references auth.users (id) on delete cascade,
  day date not null,
  calls bigint not null,
  duration_ms double precision not null,
  primary key (user_id, day)
);
comment on table wildfire.api_usage is 'API calls and their total duration by user and day';

-- Adds a batch of counts. Users deleted meanwhile are left out.
create function wildfire_private.record_usage(
  user_ids uuid[], days date[], call_counts bigint[], durations_ms double precision[]
) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into wildfire.api_usage as usage (user_id, day, calls, duration_ms)
  select batch.user_id, batch.day, batch.calls, batch.duration_ms
  from unnest(user_ids, days, call_counts, durations_ms)
    as batch (user_id, day, calls, duration_ms)
  join wildfire_private.accounts as account on account.id = batch.user_id
  order by batch.user_id, batch.day
  on conflict (user_id, day) do update
  set calls = usage.calls + excluded.calls,
    duration_ms = usage.duration_ms + excluded.duration_ms
$$;

revoke all on wildfire.waitlist_entries, wildfire.api_usage
  from public, anon, authenticated, service_role;
grant select, insert, delete on wildfire.waitlist_entries to service_role;
grant select on wildfire.api_usage to authenticated, service_role;

alter table wildfire.waitlist_entries enable row level security;
alter table wildfire.api_usage enable row level security;

create policy api_usage_select on wildfire.api_usage for select to authenticated
  using (user_id = (select wildfire_private.caller()));
