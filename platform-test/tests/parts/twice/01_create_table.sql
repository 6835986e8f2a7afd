create table public.one ();
