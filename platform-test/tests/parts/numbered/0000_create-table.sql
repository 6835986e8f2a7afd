create table public.things (id integer primary key, word text);
