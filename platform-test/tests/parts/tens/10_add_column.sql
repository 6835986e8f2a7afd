alter table public.tens add column word text;
