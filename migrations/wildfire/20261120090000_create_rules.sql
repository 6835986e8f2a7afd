-- Rules that the platform's tables share.

-- Who calls, by the claims that services and the data API set. Not auth.uid() and auth.jwt(): the auth
-- service's role may replace them, and what definer functions call runs with their owner's rights.
create function wildfire_private.claims() returns jsonb
language sql stable parallel safe
return nullif(current_setting('request.jwt.claims', true), '')::jsonb;

-- Nobody where the token names no user: servers may call themselves what they like.
create function wildfire_private.caller() returns uuid
language sql stable parallel safe
return case
  when wildfire_private.claims() ->> 'sub' ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
  then (wildfire_private.claims() ->> 'sub')::uuid
end;

-- First path segments of the app and names that would be mistaken for them.
create function wildfire_private.is_reserved_name(name text) returns boolean
language sql immutable parallel safe
as $$
  select name in (
    'about', 'admin', 'api', 'assets', 'auth', 'dashboard', 'debug', 'docs', 'explore',
    'favicon.ico', 'functions', 'graphql', 'health', 'help', 'hub', 'login', 'logout', 'metrics',
    'new', 'onboarding', 'playground', 'pricing', 'privacy', 'profile', 'prompts', 'realtime',
    'repository', 'rest', 'robots.txt', 'search', 'settings', 'signin', 'signup', 'sso', 'static',
    'storage', 'support', 'terms', 'test-supabase', 'waitlist'
  )
$$;

-- Lower-case words joined by single hyphens.
create function wildfire_private.is_slug(name text, longest integer) returns boolean
language sql immutable parallel safe
as $$
  select char_length(name) <= longest and name ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
$$;

-- At most 20 tags of 1 to 32 characters, trimmed, each once.
create function wildfire_private.are_tags(tags text[]) returns boolean
language sql immutable parallel safe
as $$
  select coalesce(array_ndims(tags), 1) = 1
    and cardinality(tags) <= 20
    and coalesce(
      (select bool_and(tag is not null and tag = btrim(tag) and char_length(tag) between 1 and 32)
         and count(distinct tag) = count(*)
       from unnest(tags) as tag),
      true
    )
$$;

-- Trims tags, drops empty ones and repetitions, keeps the order.
create function wildfire_private.clean_tags(tags text[]) returns text[]
language sql immutable parallel safe
as $$
  select coalesce(array_agg(tag order by place), '{}')
  from (
    select btrim(tag) as tag, min(place) as place
    from unnest(tags) with ordinality as given (tag, place)
    where btrim(tag) <> ''
    group by btrim(tag)
  ) as cleaned
$$;

-- Strictly later than before, also for two changes within a microsecond: entity tags contain it.
create function wildfire_private.next_update(previous timestamptz) returns timestamptz
language sql volatile
as $$
  select greatest(clock_timestamp(), previous + interval '1 microsecond')
$$;

create function wildfire_private.touch() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  new.updated_at := wildfire_private.next_update(old.updated_at);
  return new;
end
$$;
