-- An auth service that runs by itself asks at its start which of its own migrations this database
-- has. To apply one is the business of whoever owns the schema: what can be created in it, a
-- superuser's later migrations would find and call.
do $$
begin
  perform _wildfire.attempt('grant usage on schema _wildfire to supabase_auth_admin');
  perform _wildfire.attempt('grant select on _wildfire.migrations to supabase_auth_admin');
  perform _wildfire.attempt('revoke create on schema _wildfire from supabase_auth_admin');
end
$$;
