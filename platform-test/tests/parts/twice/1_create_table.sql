create table public.other ();
