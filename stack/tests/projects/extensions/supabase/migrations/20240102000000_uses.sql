create table places (
  id uuid primary key default gen_random_uuid(),
  name citext unique,
  lat float8, lng float8,
  updated_at timestamptz default now()
);
create trigger handle_updated_at before update on places
  for each row execute procedure moddatetime (updated_at);
create index on places using gin (name gin_trgm_ops);
create index on places using gist (ll_to_earth(lat, lng));
create table readings (a int, b text);
create index on readings using bloom (a, b);

-- Another database, with the password of the role there.
create server warehouse foreign data wrapper postgres_fdw
  options (host 'warehouse.example', dbname 'warehouse');
create user mapping for postgres server warehouse options (user 'reader', password 'secret');
create foreign table sales (id int, total numeric) server warehouse options (schema_name 'public');
