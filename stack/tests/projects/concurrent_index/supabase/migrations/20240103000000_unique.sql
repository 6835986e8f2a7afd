CREATE UNIQUE INDEX CONCURRENTLY events_id_kind ON events (id, kind);
