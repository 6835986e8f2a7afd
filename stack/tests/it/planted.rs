//! What somebody who has a service's password in the database can make of the next upgrade.

use platform::pg::migrate::run_all;
use platform::pg::{Client, DatabaseUrls, Executor, column};
use platform_test::TestDatabase;
use stack::SERVICES;

const AUTH: &str = "supabase_auth_admin";

async fn number(client: &Client, sql: &'static str) -> i64 {
    column(&client.query_one(sql, &[]).await.unwrap(), "n").unwrap()
}

/// Objects of the auth service's role that try to make it a superuser when somebody touches them.
const PLANTED: &str = "
create table auth.seen (who text);
create function auth.rise() returns trigger language plpgsql as $$
begin
  insert into auth.seen values (session_user || '/' || current_user);
  begin
    execute 'reset role';
    execute 'alter role supabase_auth_admin superuser';
  exception when others then
    null;
  end;
  begin
    execute 'set session authorization supabase_admin';
    execute 'alter role supabase_auth_admin superuser';
  exception when others then
    null;
  end;
  return null;
end
$$;
create trigger rise after insert or update or delete on auth.schema_migrations
  for each statement execute function auth.rise();
create constraint trigger rise_late after insert or update or delete on auth.schema_migrations
  deferrable initially deferred for each row execute function auth.rise();
create trigger rise after insert or update or delete on auth.identities
  for each statement execute function auth.rise();
create trigger rise after insert or update or delete on auth.users
  for each statement execute function auth.rise();
create trigger rise after insert or update or delete on _wildfire_auth.migrations
  for each statement execute function auth.rise();
create trigger rise after insert or update or delete on _wildfire_auth.admin_accounts
  for each statement execute function auth.rise();";

#[tokio::test]
async fn what_a_role_left_on_its_tables_does_not_make_it_a_superuser_at_an_upgrade() {
    let database = TestDatabase::create().await;
    let mut client = database.superuser().await;
    // As before an upgrade that brings these files.
    let forget = "delete from auth.schema_migrations where version > '20260';
      delete from _wildfire_auth.migrations";
    client.batch(forget).await.unwrap();
    let intruder = database.pool(AUTH).client().await.unwrap();
    intruder.batch(PLANTED).await.unwrap();
    let urls: DatabaseUrls = [(AUTH, database.url(AUTH))].into_iter().collect();
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    let applied = run_all(parts, &mut client, &urls).await.unwrap();
    assert!(applied.len() > 1, "{applied:?}");
    let superuser = "select count(*) as n from pg_roles
      where rolname = 'supabase_auth_admin' and rolsuper";
    assert_eq!(number(&client, superuser).await, 0);
    let fired = "select count(*) as n from auth.seen";
    assert!(number(&client, fired).await > 0);
    let risen = "select count(*) as n from auth.seen
      where who <> 'supabase_auth_admin/supabase_auth_admin'";
    assert_eq!(number(&client, risen).await, 0);
}
