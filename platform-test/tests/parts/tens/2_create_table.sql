create table public.tens ();
