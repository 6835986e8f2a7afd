create table events (id bigint generated always as identity primary key, kind text not null, at timestamptz not null default now());
insert into events (kind) select 'kind ' || n from generate_series(1, 1000) as n;
