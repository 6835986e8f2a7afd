//! Somebody who has become the auth service's role in a database whose superuser is called `postgres`,
//! as in `docker-compose.yml`.

use platform::cluster::{Binaries, Cluster, FindOptions};
use tokio_postgres::NoTls;

use super::installation::{Installation, execute, stderr, value};

const ADA: &str = "7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00";
const EVE: &str = "9f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00";

/// Replaces what others call or read of the auth service by something that tells who came by, and
/// tries to gain by it.
const TAKEN_OVER: &str = "
create table auth.seen (who text, is_superuser boolean);
grant insert on auth.seen to public;
create function auth.spy() returns boolean language plpgsql as $$
begin
  insert into auth.seen
  select current_user, rolsuper from pg_roles where rolname = current_user;
  begin
    execute 'alter role supabase_auth_admin superuser';
  exception when others then
    null;
  end;
  return true;
end
$$;
create or replace function auth.uid() returns uuid language plpgsql as $$
begin
  perform auth.spy();
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
end
$$;
create or replace function auth.jwt() returns jsonb language plpgsql as $$
begin
  perform auth.spy();
  return '{}';
end
$$;
alter table auth.users rename to people;
alter table auth.sessions rename to visits;
create view auth.users as select * from auth.people where auth.spy();
create view auth.sessions as select * from auth.visits where auth.spy();
grant select on auth.users, auth.sessions to public;";

/// A server as its image makes it: `postgres` is its superuser.
async fn plain() -> Cluster {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let superuser = "create role landlord login superuser password 'secret'";
    execute(&cluster.superuser_url("postgres"), superuser).await;
    let landlord = cluster.url("landlord", "secret", "postgres");
    execute(
        &landlord,
        "alter role supabase_admin rename to postgres; alter role postgres password 'known'",
    )
    .await;
    cluster
}

/// Runs statements, whether or not they are refused.
async fn attempt(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let _ = client.batch_execute(sql).await;
    drop(client);
    driver.await.unwrap().unwrap();
}

fn acting_as(role: &str, claims: &str, sql: &str) -> String {
    format!(
        "begin; set local role {role}; set local request.jwt.claims = '{claims}'; {sql}; commit"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_over_the_auth_services_role_gains_no_superusers_rights() {
    let cluster = plain().await;
    let url = |role: &str| cluster.url(role, "known", "postgres");
    let (admin, auth, authenticator) = (
        url("postgres"),
        url("supabase_auth_admin"),
        url("authenticator"),
    );
    let installation = Installation::new().with("POSTGRES_PASSWORD", "known");
    let migrate = || installation.run(&["migrate", "--db-url", &admin]);
    let first = migrate();
    assert!(first.status.success(), "{}", stderr(&first));
    let ada = format!("insert into auth.users (id, email) values ('{ADA}', 'ada@example.com')");
    execute(&auth, &ada).await;
    execute(&auth, TAKEN_OVER).await;

    let claims = format!(r#"{{"sub": "{ADA}", "role": "authenticated"}}"#);
    let gone = format!(r#"{{"sub": "{ADA}", "session_id": "{EVE}", "role": "authenticated"}}"#);
    let make = "insert into wildfire.repositories (organization_id, slug, name)
      select organization_id, 'notes', 'Notes' from wildfire.organization_members";
    let record = format!(
        "select wildfire_private.record_usage(array['{ADA}'::uuid], array[current_date], \
         array[1::bigint], array[1::double precision])"
    );
    for (role, claims, sql) in [
        (
            "authenticated",
            &*claims,
            "select count(*) from wildfire.prompts",
        ),
        (
            "authenticated",
            &claims,
            "select count(*) from wildfire.api_usage",
        ),
        ("authenticated", &claims, make),
        ("authenticated", &gone, make),
        ("service_role", "{}", &record),
    ] {
        attempt(&authenticator, &acting_as(role, claims, sql)).await;
    }
    let eve = format!("insert into auth.people (id, email) values ('{EVE}', 'eve@example.com')");
    execute(&auth, &eve).await;
    execute(
        &auth,
        &format!("delete from auth.people where id = '{EVE}'"),
    )
    .await;
    attempt(&auth, "truncate auth.people cascade").await;
    migrate();

    let superuser = "select rolsuper::text from pg_roles where rolname = 'supabase_auth_admin'";
    assert_eq!(value(&admin, superuser).await, "false");
    let gained = "select coalesce(string_agg(distinct who, ' '), '') from auth.seen
      where is_superuser or who not in
        ('anon', 'authenticated', 'authenticator', 'service_role', 'supabase_auth_admin',
         'wildfire_owner')";
    assert_eq!(value(&admin, gained).await, "");
}
