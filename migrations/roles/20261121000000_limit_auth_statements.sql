-- The auth service's statements end like everybody else's: a locked table or a search through
-- millions of users is given up before the request that waits for it is.
do $$
declare
  setting record;
begin
  for setting in
    select * from (values
      ('statement_timeout', '''8s'''),
      ('lock_timeout', '''4s'''),
      ('idle_in_transaction_session_timeout', '''30s''')
    ) as list (name, value)
  loop
    perform _wildfire.attempt(pg_catalog.format(
      'alter role supabase_auth_admin set %I = %s', setting.name, setting.value));
  end loop;
end
$$;
