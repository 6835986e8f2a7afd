//! Prepared statements of a connection: few, however many texts there are, and made again when the
//! server no longer has them or they no longer fit. Every pool has one connection.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use platform::pg::{Client, Database, DbError, Executor as _, Sql, SqlState, column};
use platform_test::TestDatabase;

/// As many as a connection keeps, and three that the driver makes for types.
const MOST: i64 = 256 + 3;

const SERVERS: &str = "select count(*) as n, coalesce(sum(length(statement)), 0)::int8 as bytes
    from pg_prepared_statements";

fn pool_of_one(database: &TestDatabase) -> Database {
    let mut config = database.config("authenticator");
    config.max_connections = 1;
    Database::new(&config).unwrap()
}

/// A statement as one is generated: no other has this text.
fn generated(number: usize, padding: usize) -> Sql {
    let mut sql = Sql::new("select $1::int8 + ");
    sql.push(Sql::literal(&number.to_string()).unwrap());
    sql.push("::int8 as n, ");
    sql.push(Sql::literal(&"x".repeat(padding)).unwrap());
    sql
}

async fn on_server(pool: &Database) -> (i64, i64) {
    let client = pool.client().await.unwrap();
    let row = client.query_one(SERVERS, &[]).await.unwrap();
    (column(&row, "n").unwrap(), column(&row, "bytes").unwrap())
}

#[tokio::test]
async fn ten_thousand_texts_leave_a_bounded_number_of_statements() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let session = pool.session("authenticated", "{}");
    let mut most = 0;
    for number in 0..10_000 {
        let row = match number % 3 {
            0 => session
                .query_opt(generated(number, 0), &[&1_i64])
                .await
                .unwrap()
                .unwrap(),
            1 => {
                let work = session.transaction("generated", async |tx| {
                    tx.query_one(generated(number, 0), &[&1_i64]).await
                });
                work.await.unwrap()
            }
            _ => {
                let client = pool.client().await.unwrap();
                client
                    .query_one(generated(number, 0), &[&1_i64])
                    .await
                    .unwrap()
            }
        };
        let sum: i64 = column(&row, "n").unwrap();
        assert_eq!(usize::try_from(sum).unwrap(), number + 1);
        if number % 250 == 249 {
            most = most.max(on_server(&pool).await.0);
        }
    }
    assert!(most <= MOST, "{most} statements");
    assert!(most > MOST / 2, "only {most} statements");
}

#[tokio::test]
async fn long_texts_are_bounded_by_their_bytes() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let session = pool.session("authenticated", "{}");
    for number in 0..100 {
        session
            .query(generated(number, 60 << 10), &[&1_i64])
            .await
            .unwrap();
    }
    let (count, bytes) = on_server(&pool).await;
    assert!(
        count > 5 && bytes <= 1 << 20,
        "{count} statements of {bytes} bytes"
    );
    // One that is too long to be kept runs all the same.
    session
        .query(generated(0, 100 << 10), &[&1_i64])
        .await
        .unwrap();
    let (_, bytes) = on_server(&pool).await;
    assert!(bytes <= 1 << 20, "{bytes} bytes");
}

#[tokio::test]
async fn a_text_in_use_stays_prepared_however_many_others_come() {
    const HOT: &str = "select 'hot' as temperature";
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let session = pool.session("authenticated", "{}");
    let mut runs = 0_i64;
    for number in 0..2_000 {
        if number % 20 == 0 {
            session.query(HOT, &[]).await.unwrap();
            runs += 1;
        }
        session
            .query(generated(number, 0), &[&1_i64])
            .await
            .unwrap();
    }
    let client = pool.client().await.unwrap();
    let plans = "select generic_plans + custom_plans as n from pg_prepared_statements
        where statement = $1";
    let row = client.query_one(plans, &[&HOT]).await.unwrap();
    assert_eq!(column::<i64>(&row, "n").unwrap(), runs);
}

async fn reset(client: &Client, how: &'static str) {
    client.batch(how).await.unwrap();
}

#[tokio::test]
async fn statements_that_the_server_lost_are_made_again() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let limit = "select current_setting('statement_timeout') as most";
    let read = async || {
        let row = pool
            .session("authenticated", "{}")
            .query_opt(limit, &[])
            .await;
        column::<String>(&row.unwrap().unwrap(), "most").unwrap()
    };
    let before = read().await;
    for how in ["discard all", "deallocate all"] {
        reset(&pool.client().await.unwrap(), how).await;
        // The limits of the session went with its statements, and are there again.
        assert_eq!(read().await, before, "{how}");
    }
    // On the connection at hand, and in a transaction, which begins again.
    let client = pool.client().await.unwrap();
    client.query_one(limit, &[]).await.unwrap();
    reset(&client, "discard all").await;
    client.query_one(limit, &[]).await.unwrap();
    drop(client);
    let attempts = std::cell::Cell::new(0);
    let outcome: Result<(), DbError> = pool
        .transaction("reset", async |tx| {
            attempts.set(attempts.get() + 1);
            tx.query_one(limit, &[]).await?;
            if attempts.get() == 1 {
                tx.batch("deallocate all").await?;
            }
            tx.query_one(limit, &[]).await.map(drop)
        })
        .await;
    outcome.unwrap();
    assert_eq!(attempts.get(), 2);
}

#[tokio::test]
async fn statements_follow_a_change_of_their_tables() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    superuser
        .batch("create table public.t as select 1 as a; grant select on public.t to authenticated")
        .await
        .unwrap();
    let pool = pool_of_one(&database);
    let all = "select * from public.t";
    for (change, columns) in [
        ("select", 1),
        ("alter table public.t add b text default 'b'", 2),
        ("alter table public.t alter a type text", 2),
        (
            "drop table public.t; create table public.t as select 'c'::text as c;
          grant select on public.t to authenticated",
            1,
        ),
    ] {
        superuser.batch(change).await.unwrap();
        let session = pool.session("authenticated", "{}");
        let row = session.query_opt(all, &[]).await.unwrap().unwrap();
        assert_eq!(row.len(), columns, "{change}");
        let within = session.transaction("changed", async |tx| tx.query_one(all, &[]).await);
        assert_eq!(within.await.unwrap().len(), columns, "{change}");
    }
}

#[tokio::test]
async fn a_statement_that_a_function_misses_is_not_taken_for_ours() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let session = pool.session("authenticated", "{}");
    let who = async || {
        let row = session
            .query_opt("select pg_backend_pid() as pid", &[])
            .await;
        column::<i32>(&row.unwrap().unwrap(), "pid").unwrap()
    };
    let before = who().await;
    let client = pool.client().await.unwrap();
    let missing = client
        .execute("do $$ begin execute 'execute s1'; end $$", &[])
        .await;
    drop(client);
    assert_eq!(
        missing.unwrap_err().code(),
        Some(&SqlState::INVALID_SQL_STATEMENT_NAME)
    );
    assert_eq!(who().await, before);
}
