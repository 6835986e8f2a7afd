-- outside a transaction
create index concurrently if not exists things_word on public.things (word);
