create table public.later (id int primary key);
