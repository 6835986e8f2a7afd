//! What one request leaves in its session, or leaves behind when nobody waits for it any more, does
//! not matter to the next.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use std::time::Duration;

use futures_util::FutureExt as _;
use platform::pg::{
    Client, Database, DbError, Executor as _, RoleSettings, Settings, Sql, SqlState, column,
};
use platform_test::{TestDatabase, sql};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

const CLAIMS: &str = r#"{"role":"authenticated"}"#;

/// As a project may well have it, so that its callers can hand values to its policies.
const SETUP: &str = "
    create function public.keep(name text, value text) returns text
      language sql as 'select set_config(name, value, false)';
    create function public.keep_table() returns void
      language sql as 'create temp table pg_class_of_mine as select 1 as x';
    create table public.t (x int unique deferrable initially deferred);
    grant all on public.t to authenticated;";

const LEFT: [(&str, &str); 14] = [
    ("statement_timeout", "0"),
    ("statement_timeout", "1"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("search_path", "pg_temp"),
    ("role", "service_role"),
    ("request.method", "left"),
    ("request.jwt.claims", "left"),
    ("app.tenant", "left"),
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "serializable"),
    ("row_security", "off"),
    ("client_encoding", "SJIS"),
    ("standard_conforming_strings", "off"),
];

/// Everything that is not as after the login, and what a transaction begins with.
const SEEN: &str = "
    select concat_ws(' ', current_user, current_setting('transaction_read_only'),
      current_setting('transaction_isolation'), to_regclass('pg_class_of_mine'),
      (select string_agg(s.name || '=' || s.setting, ' ' order by s.name) from pg_settings as s
        where s.source in ('session', 'client') and s.name not like 'transaction%'),
      nullif(current_setting('request.method', true), ''),
      nullif(current_setting('app.tenant', true), '')) as seen";

fn pool(database: &TestDatabase, size: usize, acquire: Duration) -> Database {
    pool_with(database, size, acquire, PATIENCE)
}

fn pool_with(db: &TestDatabase, size: usize, acquire: Duration, statement: Duration) -> Database {
    let mut config = db.config("authenticator");
    config.max_connections = size;
    config.acquire_timeout = acquire;
    config.statement_timeout = Some(statement);
    Database::new(&config).unwrap()
}

async fn prepared() -> TestDatabase {
    let database = TestDatabase::create().await;
    database.superuser().await.batch(SETUP).await.unwrap();
    database
}

/// What a caller and what the service itself finds on the pool's one connection.
async fn seen(pool: &Database) -> [String; 2] {
    let session = pool.session("authenticated", CLAIMS);
    let caller = session.query_opt(SEEN, &[]).await.unwrap().unwrap();
    let client = pool.client().await.unwrap();
    let own = client.query_one(SEEN, &[]).await.unwrap();
    [&caller, &own].map(|row| column(row, "seen").unwrap())
}

#[tokio::test]
async fn settings_that_a_function_leaves_behind_are_gone_for_the_next_request() {
    const KEEP: &str = "select public.keep($1, $2)";
    let database = prepared().await;
    let pool = pool(&database, 1, PATIENCE);
    let before = seen(&pool).await;
    for (name, value) in LEFT {
        let session = pool.session("authenticated", CLAIMS);
        // Not prepared yet, prepared, and in a transaction.
        for way in 0..3 {
            if way < 2 {
                session.query(KEEP, &[&name, &value]).await.unwrap();
            } else {
                let kept =
                    session.transaction("kept", async |tx| tx.query(KEEP, &[&name, &value]).await);
                kept.await.unwrap();
            }
            assert_eq!(seen(&pool).await, before, "{name} = {value}, {way}");
        }
        let kept = pool.transaction("kept", async |tx| tx.query(KEEP, &[&name, &value]).await);
        kept.await.unwrap();
        assert_eq!(
            seen(&pool).await,
            before,
            "{name} = {value}, of the service"
        );
    }
    let session = pool.session("authenticated", CLAIMS);
    session
        .query("select public.keep_table()", &[])
        .await
        .unwrap();
    assert_eq!(seen(&pool).await, before, "a table");
}

#[tokio::test]
async fn a_commit_that_fails_is_told_and_one_that_worked_is_not_taken_back() {
    let database = prepared().await;
    let pool = pool(&database, 1, PATIENCE);
    let session = pool.session("authenticated", CLAIMS);
    for _ in 0..2 {
        let twice = "insert into public.t values (1), (1)";
        let error = session.query(twice, &[]).await.unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::UNIQUE_VIOLATION));
    }
    session
        .query("insert into public.t values (1)", &[])
        .await
        .unwrap();
    let rows = session.query("select x from public.t", &[]).await.unwrap();
    assert_eq!(rows.len(), 1);
}

#[tokio::test]
async fn what_the_service_sets_itself_outside_a_transaction_lasts_over_its_own() {
    let database = TestDatabase::create().await;
    let mut client = pool(&database, 1, PATIENCE).client().await.unwrap();
    client.batch("set search_path = ''").await.unwrap();
    let tx = client.begin();
    tx.batch("select 1").await.unwrap();
    tx.commit().await.unwrap();
    let row = client.query_one("select current_setting('search_path') as path", &[]);
    assert_eq!(column::<&str>(&row.await.unwrap(), "path").unwrap(), "\"\"");
}

/// What a role is given, one after the other, and what it has by a pool of four seconds.
const TIMES: [(&str, &str, &str); 8] = [
    ("statement_timeout = '3s'", "3s", "2s"),
    ("statement_timeout = 0", "4s", "2s"),
    ("statement_timeout = '0.1ms'", "4s", "2s"),
    ("statement_timeout = '1.5 h'", "4s", "2s"),
    ("statement_timeout = 70000", "4s", "2s"),
    ("statement_timeout = 1500", "1500ms", "2s"),
    ("lock_timeout = '1d'", "1500ms", "2s"),
    ("lock_timeout = '900000us'", "1500ms", "900ms"),
];

#[tokio::test]
async fn a_role_may_have_less_time_than_the_pool_but_not_more() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    superuser
        .batch("create role timed_one; grant timed_one to authenticator")
        .await
        .unwrap();
    let pool = pool_with(&database, 1, PATIENCE, Duration::from_secs(4));
    for (set, statement, lock) in TIMES {
        superuser
            .batch(sql(format!("alter role timed_one set {set}")))
            .await
            .unwrap();
        let roles = RoleSettings::load(&pool).await.unwrap();
        let settings = Settings {
            roles: Some(&roles),
            ..Settings::default()
        };
        let limits = "select current_setting('statement_timeout') as statement,
            current_setting('lock_timeout') as lock";
        let session = pool.session("timed_one", "{}").with(&settings);
        let row = session.query_opt(limits, &[]).await.unwrap().unwrap();
        assert_eq!(
            column::<&str>(&row, "statement").unwrap(),
            statement,
            "{set}"
        );
        assert_eq!(column::<&str>(&row, "lock").unwrap(), lock, "{set}");
    }
    superuser.batch("drop role timed_one").await.unwrap();
}

const LOCK: &str = "select pg_advisory_xact_lock(1)";

/// Waits until the server has so many statements that wait for a lock.
async fn wait_for(superuser: &Client, waiting: i64) {
    let count = "select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    loop {
        let row = superuser.query_one(count, &[]).await.unwrap();
        if column::<i64>(&row, "n").unwrap() == waiting {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_request_that_is_given_up_keeps_its_place_until_the_server_is_done() {
    let database = TestDatabase::create().await;
    // So many that one is the share of those of whom nothing is known.
    let pool = pool(&database, 4, Duration::from_secs(1)).for_unproved();
    let (superuser, mut holder) = (database.superuser().await, database.superuser().await);
    let session = pool.session("authenticated", CLAIMS);
    for is_prepared in [false, true] {
        let tx = holder.begin();
        tx.query(LOCK, &[]).await.unwrap();
        {
            let mut given_up = session.query(LOCK, &[]);
            let watched = wait_for(&superuser, 1);
            tokio::select! {
                _ = &mut given_up => panic!("it has the lock"),
                () = watched => {}
            }
        }
        let error = session.query(LOCK, &[]).await.unwrap_err();
        assert!(matches!(error, DbError::Pool(_)), "{is_prepared}: {error}");
        let others = pool.for_service();
        let others = others.session("authenticated", CLAIMS);
        others.query("select 1", &[]).await.unwrap();
        tx.rollback().await.unwrap();
        while session.query(LOCK, &[]).await.is_err() {}
    }
    assert_eq!(pool.crowd().open, 2, "connections are not thrown away");
}

#[tokio::test]
async fn work_that_nobody_waits_for_and_no_limit_ends_is_cancelled() {
    let database = TestDatabase::create().await;
    let pool = pool_with(&database, 1, PATIENCE, Duration::from_millis(200));
    let (superuser, mut holder) = (database.superuser().await, database.superuser().await);
    let tx = holder.begin();
    tx.query(LOCK, &[]).await.unwrap();
    let session = pool.session("authenticated", CLAIMS);
    let mut waits = Box::pin(wait_for(&superuser, 1));
    loop {
        let given_up = session.transaction("given up", async |tx| {
            let free = "set local statement_timeout = 0; set local lock_timeout = 0";
            tx.batch(free).await?;
            tx.query(LOCK, &[]).await
        });
        tokio::select! {
            // A busy machine may not get as far as the lock in the time of a statement.
            outcome = given_up => {
                let code = outcome.unwrap_err().code().cloned();
                assert_eq!(code, Some(SqlState::QUERY_CANCELED));
            }
            () = &mut waits => break,
        }
    }
    let cancelled = tokio::time::timeout(PATIENCE, wait_for(&superuser, 0));
    cancelled.await.unwrap();
    session.query("select 1", &[]).await.unwrap();
    tx.rollback().await.unwrap();
}

#[tokio::test]
async fn statements_given_up_while_they_are_prepared_do_not_gather() {
    let database = TestDatabase::create().await;
    let pool = pool(&database, 1, PATIENCE);
    for number in 0..400 {
        let client = pool.client().await.unwrap();
        let mut text = Sql::new("select ");
        text.push(Sql::number(number));
        assert!(client.query(text, &[]).now_or_never().is_none());
    }
    let client = pool.client().await.unwrap();
    let count = "select count(*) as n from pg_prepared_statements";
    let row = client.query_one(count, &[]).await.unwrap();
    let count: i64 = column(&row, "n").unwrap();
    assert!(count < 300, "{count} statements");
}

#[tokio::test]
async fn a_connection_that_lost_its_statements_about_types_is_given_up() {
    let database = TestDatabase::create().await;
    let types = "create type public.a as enum ('x'); create type public.b as enum ('x')";
    database.superuser().await.batch(types).await.unwrap();
    let pool = pool(&database, 1, PATIENCE);
    let client = pool.client().await.unwrap();
    client.query("select 'x'::public.a", &[]).await.unwrap();
    client.batch("discard all").await.unwrap();
    let error = client.query("select 'x'::public.b", &[]).await.unwrap_err();
    assert!(error.retry_after().is_some(), "{error}");
    drop(client);
    let client = pool.client().await.unwrap();
    client.query("select 'x'::public.b", &[]).await.unwrap();
}
