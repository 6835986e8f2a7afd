-- The table is large and in use.
create index concurrently if not exists events_kind_idx on public.events using btree (kind, at desc);
