//! What a service may tell its callers to try again later, as a real server reports it; and how
//! long anything is waited for.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use std::net::TcpListener;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use platform::env::Secret;
use platform::health::Condition;
use platform::pg::{Client, Database, DatabaseConfig, DbError, Executor as _, SqlState, column};
use platform_test::{TestDatabase, sql};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
const CLAIMS: &str = r#"{"role":"anon"}"#;

/// A pool of `connections` whose statements may take this long.
fn pool(database: &TestDatabase, role: &str, connections: usize, most: Duration) -> Database {
    let mut config = database.config(role);
    config.max_connections = connections;
    config.acquire_timeout = PATIENCE;
    config.statement_timeout = Some(most);
    Database::new(&config).unwrap()
}

async fn backend_of(client: &Client) -> i32 {
    let row = client.query_one("select pg_backend_pid() as pid", &[]);
    column(&row.await.unwrap(), "pid").unwrap()
}

#[tokio::test]
async fn what_the_server_reports_is_temporary_or_it_is_not() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    let temporary = [
        "08006", "25006", "25P03", "25P04", "28P01", "3D000", "40001", "40P01", "53000", "53100",
        "53200", "53300", "55P03", "57014", "57P01", "57P02", "57P03", "57P04", "57P05",
    ];
    let lasting = [
        "0A000", "22001", "22021", "23505", "23514", "25P02", "42501", "42601", "42P01", "53400",
        "54000", "58P01", "P0001", "XX000",
    ];
    for (codes, expected) in [(&temporary[..], true), (&lasting[..], false)] {
        for code in codes {
            let raise = format!("do $$ begin raise sqlstate '{code}'; end $$");
            let error = client.batch(sql(raise)).await.unwrap_err();
            assert_eq!(error.code().map(SqlState::code), Some(*code));
            assert_eq!(error.retry_after().is_some(), expected, "{code}");
        }
    }
}

#[tokio::test]
async fn a_full_disk_is_given_more_time_than_a_busy_server() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    let mut waits = Vec::new();
    for code in ["53100", "53300"] {
        let raise = format!("do $$ begin raise sqlstate '{code}'; end $$");
        let error = client.batch(sql(raise)).await.unwrap_err();
        waits.push(error.retry_after().unwrap());
    }
    assert!(waits[0] > waits[1], "{waits:?}");
}

#[tokio::test]
async fn a_killed_connection_is_temporary_and_the_pool_makes_another() {
    let database = TestDatabase::create().await;
    let pool = pool(&database, "authenticator", 1, PATIENCE);
    let client = pool.client().await.unwrap();
    let killer = database.superuser().await;
    killer
        .execute(
            "select pg_terminate_backend($1, 10000)",
            &[&backend_of(&client).await],
        )
        .await
        .unwrap();
    let error = client.query("select 1", &[]).await.unwrap_err();
    assert!(error.retry_after().is_some(), "{error}");
    drop(client);
    pool.session("anon", CLAIMS)
        .query("select 1", &[])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_temporary() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("postgres://nobody:x@127.0.0.1:{port}/none?sslmode=disable");
    let mut config = DatabaseConfig::new(Secret::from(url.as_str()), "test");
    config.acquire_timeout = Duration::from_millis(200);
    // It accepts and never says a word.
    let silent = Database::new(&config)
        .unwrap()
        .client()
        .await
        .err()
        .unwrap();
    assert!(silent.retry_after().is_some(), "{silent}");
    drop(listener);
    let refused = Database::new(&config)
        .unwrap()
        .client()
        .await
        .err()
        .unwrap();
    assert!(refused.retry_after().is_some(), "{refused}");
}

#[tokio::test]
async fn a_password_that_changed_is_temporary() {
    let database = TestDatabase::create().await;
    let url = database
        .url("authenticator")
        .replace(":postgres@", ":wrong@");
    let config = DatabaseConfig::new(Secret::from(url.as_str()), "test");
    let error = Database::new(&config)
        .unwrap()
        .client()
        .await
        .err()
        .unwrap();
    assert!(error.retry_after().is_some(), "{error}");
}

#[tokio::test]
async fn what_the_driver_cannot_encode_or_read_is_not_temporary() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    let encode = client
        .query("select $1::text", &[&7_i32])
        .await
        .unwrap_err();
    assert!(matches!(encode, DbError::Postgres(_)), "{encode}");
    assert_eq!(encode.retry_after(), None, "{encode}");
    let count = client.query("select $1::text", &[]).await.unwrap_err();
    assert_eq!(count.retry_after(), None, "{count}");
    let nul = client.batch("select '\0'").await.unwrap_err();
    assert_eq!(nul.retry_after(), None, "{nul}");
    let row = client.query_one("select 'x' as v", &[]).await.unwrap();
    let read = column::<i32>(&row, "v").unwrap_err();
    assert_eq!(read.retry_after(), None, "{read}");
}

#[tokio::test]
async fn statements_and_locks_are_given_up() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    superuser
        .batch("create table public.t (); grant all on public.t to anon")
        .await
        .unwrap();
    let pool = pool(&database, "authenticator", 2, Duration::from_secs(2));
    let session = pool.session("anon", CLAIMS);
    let slow = session.query("select pg_sleep(60)", &[]).await.unwrap_err();
    assert_eq!(slow.code().unwrap().code(), "57014");
    assert!(slow.retry_after().is_some());

    let mut holder = database.superuser().await;
    let tx = holder.begin();
    tx.batch("lock table public.t").await.unwrap();
    let locked = session.query("table public.t", &[]).await.unwrap_err();
    assert_eq!(locked.code().unwrap().code(), "55P03");
    assert!(locked.retry_after().is_some());
    tx.rollback().await.unwrap();
    session.query("table public.t", &[]).await.unwrap();
}

#[tokio::test]
async fn a_stricter_limit_of_the_role_stays() {
    let database = TestDatabase::create().await;
    let name = "role_with_limits";
    database
        .superuser()
        .await
        .batch(
            "create role role_with_limits login password 'postgres';
             alter role role_with_limits set statement_timeout = '50ms';
             alter role role_with_limits set lock_timeout = '1h'",
        )
        .await
        .unwrap();
    let client = pool(&database, name, 1, Duration::from_secs(6))
        .client()
        .await
        .unwrap();
    let shown = "select current_setting('statement_timeout') as statement, \
                 current_setting('lock_timeout') as lock, \
                 current_setting('idle_in_transaction_session_timeout') as idle";
    let row = client.query_one(shown, &[]).await.unwrap();
    assert_eq!(column::<&str>(&row, "statement").unwrap(), "50ms");
    assert_eq!(column::<&str>(&row, "lock").unwrap(), "3s");
    assert_eq!(column::<&str>(&row, "idle").unwrap(), "30s");
    drop(client);
    let drop_it = "drop role role_with_limits";
    database.superuser().await.batch(drop_it).await.unwrap();
}

#[tokio::test]
async fn a_pool_in_use_is_waited_for_and_given_up() {
    let database = TestDatabase::create().await;
    let mut config = database.config("authenticator");
    config.max_connections = 1;
    let pool = Database::new(&config).unwrap();
    let held = pool.client().await.unwrap();
    let error = pool.client().await.err().unwrap();
    assert!(matches!(error, DbError::Pool(_)), "{error}");
    assert!(error.retry_after().is_some());
    drop(held);
    pool.client().await.unwrap();
}

#[tokio::test]
async fn a_flood_of_anonymous_callers_leaves_connections_to_those_who_signed_in() {
    let database = TestDatabase::create().await;
    let pool = pool(&database, "authenticator", 4, PATIENCE);
    // Every anonymous statement waits for this lock.
    let mut holder = database.superuser().await;
    let tx = holder.begin();
    tx.execute("select pg_advisory_xact_lock(1)", &[])
        .await
        .unwrap();
    let flood = (0..100).map(|_| async {
        let session = pool.session("anon", CLAIMS);
        session.query("select pg_advisory_xact_lock(1)", &[]).await
    });
    let signed_in = async {
        let mut most = 0;
        for _ in 0..50 {
            let session = pool.session("authenticated", CLAIMS);
            session.query("select 1", &[]).await.unwrap();
            most = most.max(pool.usage().0);
            tokio::task::yield_now().await;
        }
        tx.rollback().await.unwrap();
        most
    };
    let flood = futures_util::future::join_all(flood);
    let (served, most) = futures_util::future::join(flood, signed_in).await;
    assert!(most <= 3, "{most} connections were in use");
    for outcome in served {
        outcome.unwrap();
    }
}

#[tokio::test]
async fn a_database_that_can_store_nothing_says_so() {
    let database = TestDatabase::create().await;
    let writable = database.pool("authenticator").accepts_writes().await;
    assert!(writable.unwrap());
    // What a standby says, and what managed databases do when their disk runs full.
    let read_only = "do $$ begin execute format('alter database %I set \
                     default_transaction_read_only = on', current_database()); end $$";
    database.superuser().await.batch(read_only).await.unwrap();
    let pool = database.pool("authenticator");
    assert!(!pool.accepts_writes().await.unwrap());
    let client = pool.client().await.unwrap();
    let error = client.batch("create table public.t ()").await.unwrap_err();
    assert!(error.retry_after().is_some(), "{error}");
}

#[tokio::test]
async fn a_database_too_slow_to_be_asked_is_asked_once() {
    let database = TestDatabase::create().await;
    let pool = database.pool("authenticator");
    // Gone before anything was sent.
    assert!(pool.accepts_writes().now_or_never().is_none());
    let error = pool.accepts_writes().await.unwrap_err();
    assert!(error.retry_after().is_some(), "{error}");
    assert_eq!(pool.usage().0, 0);
}

#[tokio::test]
async fn finding_out_whether_something_can_be_stored_needs_room_and_leaves_nothing() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    let written = "select temp_bytes as n from pg_stat_database where datname = current_database()";
    let before: i64 = column(&superuser.query_one(written, &[]).await.unwrap(), "n").unwrap();
    let pool = database.pool("authenticator");
    for _ in 0..10 {
        assert!(pool.accepts_writes().await.unwrap());
    }
    drop(pool);
    let mut after = before;
    while after == before {
        superuser
            .batch("select pg_stat_clear_snapshot()")
            .await
            .unwrap();
        after = column(&superuser.query_one(written, &[]).await.unwrap(), "n").unwrap();
        tokio::task::yield_now().await;
    }
    let written = after - before;
    assert!((1 << 20..5 << 20).contains(&written), "{written} bytes");
}

#[tokio::test]
async fn what_was_asked_before_is_no_answer_to_another_question() {
    let database = TestDatabase::create().await;
    let pool = pool(&database, "authenticator", 2, PATIENCE);
    let good = pool.health("select true as ready").await;
    assert!(good.condition < Condition::Down, "{good:?}");
    let lacks = pool.health("select false as ready").await;
    assert_eq!(lacks.condition, Condition::Down, "{lacks:?}");
}

#[tokio::test]
async fn no_answer_is_not_taken_for_the_next_one() {
    const PING: &str = "select pg_advisory_xact_lock(1) is not null as ready";
    let database = TestDatabase::create().await;
    let pool = pool(&database, "authenticator", 3, PATIENCE);
    let mut holder = database.superuser().await;
    let tx = holder.begin();
    tx.query(PING, &[]).await.unwrap();
    let hung = pool.health(PING).await;
    assert_eq!(hung.condition, Condition::Down, "{hung:?}");
    assert!(pool.health(PING).now_or_never().is_none());
    tx.rollback().await.unwrap();
    let back = pool.health(PING).await;
    assert!(back.condition < Condition::Down, "{back:?}");
}

#[tokio::test]
async fn all_who_ask_how_a_busy_database_is_are_told_together() {
    const PING: &str = "select true as ready";
    let database = TestDatabase::create().await;
    let pool = pool(&database, "authenticator", 1, PATIENCE);
    let _busy = pool.client().await.unwrap();
    let started = Instant::now();
    let alone = pool.health(PING).await;
    assert_eq!(alone.condition, Condition::Degraded, "{alone:?}");
    let once = started.elapsed();
    // Each goes away while it would be its turn.
    let impatient =
        (1..9).map(|turn| tokio::time::timeout(once * turn / 10 * 9, pool.health(PING)));
    let patient = join_all((0..9).map(|_| pool.health(PING)));
    let started = Instant::now();
    let (_, (told, after)) = tokio::join!(join_all(impatient), async {
        (patient.await, started.elapsed())
    });
    assert_eq!(told, [alone; 9]);
    assert!(after < once * 4, "{after:?}, alone {once:?}");
}
