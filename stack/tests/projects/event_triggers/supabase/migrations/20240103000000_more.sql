create table also_secured as select 1 as id;
create or replace function pgrst_watch() returns event_trigger language plpgsql as $$
begin
  notify pgrst, 'reload schema';
  perform set_config('app.watched', tg_tag, false);
end;
$$;
create extension if not exists moddatetime with schema extensions;
alter event trigger pgrst_watch rename to pgrst_watch_all;
create type mood as enum ('fine');
