//! Sessions against a real database: row level security holds, one flight is one transaction,
//! and nothing of a caller stays on the connection.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use platform::pg::{DbError, Executor as _, column};
use platform_test::TestDatabase;

const ADA: &str = r#"{"sub":"00000000-0000-4000-8000-00000000000a","role":"authenticated"}"#;
const BOB: &str = r#"{"sub":"00000000-0000-4000-8000-00000000000b","role":"authenticated"}"#;

const SETUP: &str = "
    create table public.notes (
      id bigint generated always as identity,
      owner uuid default auth.uid(),
      body text unique
    );
    alter table public.notes enable row level security;
    create policy own on public.notes using (owner = auth.uid());
    grant all on public.notes to authenticated;";

async fn prepared() -> TestDatabase {
    let database = TestDatabase::create().await;
    database.superuser().await.batch(SETUP).await.unwrap();
    database
}

#[tokio::test]
async fn callers_see_their_own_rows_only() {
    let database = prepared().await;
    let pool = database.pool("authenticator");
    for (claims, body) in [(ADA, "from ada"), (BOB, "from bob")] {
        let insert = "insert into public.notes (body) values ($1) returning id";
        pool.session("authenticated", claims)
            .query(insert, &[&body])
            .await
            .unwrap();
    }
    for (claims, expected) in [(ADA, "from ada"), (BOB, "from bob")] {
        let session = pool.session("authenticated", claims);
        let rows = session
            .query("select body from public.notes", &[])
            .await
            .unwrap();
        let bodies: Vec<String> = rows
            .iter()
            .map(|row| column(row, "body").unwrap())
            .collect();
        assert_eq!(bodies, [expected]);
    }
}

#[tokio::test]
async fn role_and_claims_leave_the_connection_with_the_transaction() {
    let database = prepared().await;
    let pool = database.pool("authenticator");
    pool.session("authenticated", ADA)
        .query("select 1", &[])
        .await
        .unwrap();
    let probe = "select current_user::text as who, \
                 coalesce(current_setting('request.jwt.claims', true), '') as claims";
    let row = pool
        .client()
        .await
        .unwrap()
        .query_one(probe, &[])
        .await
        .unwrap();
    assert_eq!(column::<&str>(&row, "who").unwrap(), "authenticator");
    assert_eq!(column::<&str>(&row, "claims").unwrap(), "");
}

#[tokio::test]
async fn failing_statement_reports_its_own_error_and_changes_nothing() {
    let database = prepared().await;
    let pool = database.pool("authenticator");
    let session = pool.session("authenticated", ADA);
    let insert = "insert into public.notes (body) values ('twice'), ('twice')";
    let error = session.query(insert, &[]).await.unwrap_err();
    assert_eq!(error.constraint(), Some("notes_body_key"));
    assert!(
        session
            .query("select id from public.notes", &[])
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn statement_on_a_schema_only_the_caller_may_use_works() {
    let database = prepared().await;
    let setup = "create schema inner_room; create table inner_room.t as select 7 as x;
                 grant usage on schema inner_room to authenticated;
                 grant select on inner_room.t to authenticated;";
    database.superuser().await.batch(setup).await.unwrap();
    let pool = database.pool("authenticator");
    let session = pool.session("authenticated", ADA);
    for _ in 0..2 {
        let row = session
            .query_opt("select x from inner_room.t", &[])
            .await
            .unwrap()
            .unwrap();
        assert_eq!(column::<i32>(&row, "x").unwrap(), 7);
    }
}

#[tokio::test]
async fn abandoned_transaction_is_rolled_back_and_not_handed_on() {
    let database = prepared().await;
    let pool = database.pool("postgres");
    {
        let mut client = pool.client().await.unwrap();
        let tx = client.begin();
        tx.execute("insert into public.notes (body) values ('lost')", &[])
            .await
            .unwrap();
    }
    let client = pool.client().await.unwrap();
    let row = client
        .query_one("select count(*) as n from public.notes", &[])
        .await
        .unwrap();
    assert_eq!(column::<i64>(&row, "n").unwrap(), 0);
}

#[tokio::test]
async fn transaction_that_loses_a_race_runs_again() {
    let database = prepared().await;
    let pool = database.pool("postgres");
    let attempts = std::cell::Cell::new(0);
    let outcome: Result<(), DbError> = pool
        .transaction("race", async |tx| {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 3 {
                tx.batch("do $$ begin raise serialization_failure; end $$")
                    .await?;
            }
            Ok(())
        })
        .await;
    outcome.unwrap();
    assert_eq!(attempts.get(), 3);
}

#[tokio::test]
async fn column_of_another_type_is_an_error_that_names_it() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    let row = client.query_one("select 'text' as age", &[]).await.unwrap();
    let error = column::<i32>(&row, "age").unwrap_err();
    assert!(matches!(error, DbError::Inconsistent { column, .. } if column == "age"));
}

#[tokio::test]
async fn claims_arrive_as_they_are_whatever_they_hold() {
    let database = prepared().await;
    let pool = database.pool("authenticator");
    for hostile in [
        "'",
        "''; drop table public.notes; --",
        "\\",
        "\\'",
        "$$",
        "\u{1f525} \"\\u0000\"",
    ] {
        let claims = serde_json::json!({ "sub": hostile }).to_string();
        let probe = "select current_setting('request.jwt.claims') as claims";
        let session = pool.session("authenticated", &claims);
        let row = session.query_opt(probe, &[]).await.unwrap().unwrap();
        assert_eq!(column::<&str>(&row, "claims").unwrap(), claims);
    }
    let refused = pool.session("authenticated\"; drop table public.notes; --", "{}");
    assert!(refused.query("select 1", &[]).await.is_err());
    pool.session("authenticated", ADA)
        .query("select id from public.notes", &[])
        .await
        .unwrap();
}

#[tokio::test]
async fn no_callers_claims_stand_in_the_servers_statistics() {
    let database = prepared().await;
    let superuser = database.superuser().await;
    superuser
        .batch("create extension if not exists pg_stat_statements with schema extensions")
        .await
        .unwrap();
    let pool = database.pool("authenticator");
    let claims = r#"{"email":"told.to.nobody@example.com","role":"authenticated"}"#;
    let answer = pool
        .session("authenticated", claims)
        .query(
            "select body, 'in the statistics' as mark from public.notes",
            &[],
        )
        .await;
    answer.unwrap();
    let statistics = "select
        count(*) filter (where query like '%told.to.nobody%' and query not like '%filter%') as told,
        count(*) filter (where query like '%from public.notes%') as counted
      from extensions.pg_stat_statements";
    let row = superuser.query_one(statistics, &[]).await.unwrap();
    assert_eq!(column::<i64>(&row, "told").unwrap(), 0);
    assert!(column::<i64>(&row, "counted").unwrap() > 0);
    // Postgres 18 keeps no values of such statements; the versions before it do.
    let tracks = "select current_setting('pg_stat_statements.track_utility') as utility";
    let client = pool.client().await.unwrap();
    let row = client.query_one(tracks, &[]).await.unwrap();
    assert_eq!(column::<String>(&row, "utility").unwrap(), "off");
}
