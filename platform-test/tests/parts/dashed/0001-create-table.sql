create table public.dashed ();
