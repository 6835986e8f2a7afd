-- outside a transaction
create index concurrently if not exists notes_word on dummy.notes (word);
