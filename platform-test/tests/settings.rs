//! What a session sets for one transaction: it arrives as it is, whatever it holds, and nothing of it
//! is there for the next one. Every pool has one connection.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use platform::pg::{
    Database, DbError, Executor as _, Function, Ident, Isolation, QuoteError, RequestSettings,
    RoleSettings, Row, Setting, Settings, Sql, SqlState, column,
};
use platform_test::{TestDatabase, sql};

const SEEN: &str = "
    select current_user::text as role, current_setting('search_path') as search_path,
      current_setting('request.jwt.claims', true) as claims,
      current_setting('request.method', true) as method,
      current_setting('request.path', true) as path,
      current_setting('request.headers', true) as headers,
      current_setting('request.cookies', true) as cookies,
      current_setting('storage.operation', true) as operation,
      current_setting('transaction_read_only') as read_only,
      current_setting('transaction_isolation') as isolation,
      current_setting('statement_timeout') as statement_timeout";

const COLUMNS: [&str; 11] = [
    "role",
    "search_path",
    "claims",
    "method",
    "path",
    "headers",
    "cookies",
    "operation",
    "read_only",
    "isolation",
    "statement_timeout",
];

fn pool_of_one(database: &TestDatabase) -> Database {
    let mut config = database.config("authenticator");
    config.max_connections = 1;
    Database::new(&config).unwrap()
}

fn text<'r>(row: &'r Row, name: &str) -> &'r str {
    column::<Option<&str>>(row, name).unwrap().unwrap_or("")
}

async fn seen(database: &Database, role: &str, settings: &Settings<'_>) -> Row {
    let session = database.session(role, "{}").with(settings);
    session.query_opt(SEEN, &[]).await.unwrap().unwrap()
}

async fn prepare(database: &TestDatabase, statements: &'static str) {
    database.superuser().await.batch(statements).await.unwrap();
}

#[tokio::test]
async fn settings_arrive_as_they_are_and_end_with_the_transaction() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let before = seen(&pool, "authenticated", &Settings::default()).await;
    let long = format!("{{\"sub\":\"{}\"}}", "x'\"\\".repeat(16 << 10));
    for hostile in [
        "plain",
        "'; reset role; --",
        "\\",
        "\\'",
        "$$",
        "\"",
        "\u{1f525}\n",
        &long,
    ] {
        let operation = [(Setting::new("storage.operation"), hostile)];
        let settings = Settings {
            request: Some(RequestSettings {
                method: hostile,
                path: hostile,
                headers: hostile,
                cookies: hostile,
            }),
            others: &operation,
            ..Settings::default()
        };
        let session = pool.session("authenticated", hostile).with(&settings);
        let row = session.query_opt(SEEN, &[]).await.unwrap().unwrap();
        for name in [
            "claims",
            "method",
            "path",
            "headers",
            "cookies",
            "operation",
        ] {
            assert!(
                text(&row, name) == hostile,
                "{name} of {} bytes",
                hostile.len()
            );
        }
        let within = session.transaction("seen", async |tx| tx.query_one(SEEN, &[]).await);
        assert_eq!(text(&within.await.unwrap(), "path"), hostile);
        let after = seen(&pool, "authenticated", &Settings::default()).await;
        for name in COLUMNS {
            assert_eq!(text(&after, name), text(&before, name), "{name} stayed");
        }
    }
}

#[tokio::test]
async fn a_value_with_nul_is_refused_before_anything_is_sent() {
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let request = |headers| RequestSettings {
        method: "GET",
        path: "/",
        headers,
        cookies: "{}",
    };
    let settings = Settings {
        request: Some(request("a\0b")),
        ..Settings::default()
    };
    let session = pool.session("authenticated", "{}");
    for refused in [session.with(&settings), pool.session("authenticated", "\0")] {
        let error = refused.query(SEEN, &[]).await.unwrap_err();
        assert!(matches!(error, DbError::Quote(QuoteError::Nul)), "{error}");
        let within = refused.transaction("refused", async |tx| tx.query(SEEN, &[]).await);
        let error = within.await.unwrap_err();
        assert!(matches!(error, DbError::Quote(QuoteError::Nul)), "{error}");
    }
    assert_eq!(pool.usage().0, 0);
    session.query(SEEN, &[]).await.unwrap();
}

#[tokio::test]
async fn a_role_is_exactly_the_one_that_is_named() {
    let database = TestDatabase::create().await;
    let odd = "odd \"role\" of 'nobody'; --";
    let longest = "r".repeat(63);
    let superuser = database.superuser().await;
    for role in [odd, &longest] {
        let role = Ident::quote(role).unwrap();
        let mut create = Sql::new("create role ");
        create
            .push(&role)
            .push("; grant ")
            .push(&role)
            .push(" to authenticator");
        superuser.batch(create).await.unwrap();
    }
    let pool = pool_of_one(&database);
    for role in [odd, &longest] {
        let row = seen(&pool, role, &Settings::default()).await;
        assert_eq!(text(&row, "role"), role);
    }
    // Cut by Postgres, this would be the longest one; "none" would be whoever logged in.
    let too_long = longest + "r";
    for (role, expected) in [
        (too_long.as_str(), QuoteError::TooLong),
        ("none", QuoteError::NoRole),
        ("NONE", QuoteError::NoRole),
        ("", QuoteError::Empty),
        ("a\0", QuoteError::Nul),
    ] {
        let error = pool.session(role, "{}").query(SEEN, &[]).await.unwrap_err();
        assert!(
            matches!(error, DbError::Quote(it) if it == expected),
            "{error}"
        );
    }
    for role in ["nobody knows this one", "supabase_admin"] {
        let error = pool.session(role, "{}").query(SEEN, &[]).await.unwrap_err();
        assert!(error.server().is_some(), "{role}: {error}");
    }
}

#[tokio::test]
async fn one_text_means_what_each_search_path_says() {
    let database = TestDatabase::create().await;
    let names = ["plain", "Odd \"Name\"", "it's; drop schema plain"];
    let superuser = database.superuser().await;
    for (number, name) in names.iter().enumerate() {
        let schema = Ident::quote(name).unwrap();
        let mut create = Sql::new("create schema ");
        create
            .push(&schema)
            .push("; create table ")
            .push(&schema)
            .push(".t as select ");
        create
            .push(Sql::literal(&number.to_string()).unwrap())
            .push("::int as x;");
        create
            .push("grant usage on schema ")
            .push(&schema)
            .push(" to anon; grant select on ");
        create.push(&schema).push(".t to anon");
        superuser.batch(create).await.unwrap();
    }
    let pool = pool_of_one(&database);
    for _ in 0..3 {
        for (number, name) in names.iter().enumerate() {
            let path = [
                Ident::quote("no such").unwrap(),
                Ident::quote(name).unwrap(),
            ];
            let settings = Settings {
                search_path: Some(&path),
                ..Settings::default()
            };
            let session = pool.session("anon", "{}").with(&settings);
            let row = session
                .query_opt("select x from t", &[])
                .await
                .unwrap()
                .unwrap();
            assert_eq!(
                column::<i32>(&row, "x").unwrap(),
                i32::try_from(number).unwrap()
            );
        }
    }
    let nowhere = Settings {
        search_path: Some(&[]),
        ..Settings::default()
    };
    let session = pool.session("anon", "{}").with(&nowhere);
    let error = session.query("select x from t", &[]).await.unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::UNDEFINED_TABLE));
    assert_eq!(
        text(&seen(&pool, "anon", &nowhere).await, "search_path"),
        "\"\""
    );
}

#[tokio::test]
async fn settings_of_the_role_hold_for_its_transactions_only() {
    let database = TestDatabase::create().await;
    // Roles are the server's, which other tests use too: these are this test's own.
    prepare(
        &database,
        r#"create role slow_one; create role quick_one;
        grant slow_one, quick_one to authenticator;
        alter role slow_one set statement_timeout = '4321ms';
        alter role slow_one set default_transaction_isolation = 'serializable';
        alter role slow_one set search_path = "odd "", name", public;
        alter role slow_one set log_min_duration_statement = '77s';
        alter role slow_one set deadlock_timeout = '17s';
        alter role slow_one set application_name = 'it''s "slow"';
        grant set on parameter deadlock_timeout to authenticator;
        alter role quick_one set statement_timeout = '5ms'"#,
    )
    .await;
    let pool = pool_of_one(&database);
    let before = seen(&pool, "slow_one", &Settings::default()).await;
    let roles = RoleSettings::load(&pool).await.unwrap();
    let settings = Settings {
        roles: Some(&roles),
        ..Settings::default()
    };
    let row = seen(&pool, "slow_one", &settings).await;
    assert_eq!(text(&row, "statement_timeout"), "4321ms");
    assert_eq!(text(&row, "isolation"), "serializable");
    assert_eq!(text(&row, "search_path"), r#""odd "", name", public"#);
    let others = "select current_setting('log_min_duration_statement') as superusers,
        current_setting('deadlock_timeout') as granted, current_setting('application_name') as name";
    let session = pool.session("slow_one", "{}").with(&settings);
    let row = session.query_opt(others, &[]).await.unwrap().unwrap();
    assert_ne!(text(&row, "superusers"), "77s");
    assert_eq!(text(&row, "granted"), "17s");
    assert_eq!(text(&row, "name"), "it's \"slow\"");

    let explicit = Settings {
        isolation: Some(Isolation::RepeatableRead),
        ..settings
    };
    let row = seen(&pool, "slow_one", &explicit).await;
    assert_eq!(text(&row, "isolation"), "repeatable read");
    let row = seen(&pool, "authenticated", &settings).await;
    assert_ne!(text(&row, "statement_timeout"), "4321ms");
    let after = seen(&pool, "slow_one", &Settings::default()).await;
    for name in COLUMNS {
        assert_eq!(text(&after, name), text(&before, name), "{name} stayed");
    }

    let session = pool.session("quick_one", "{}").with(&settings);
    let error = session.query("select pg_sleep(60)", &[]).await.unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED));
    database
        .superuser()
        .await
        .batch(
            "revoke set on parameter deadlock_timeout from authenticator;
             drop role slow_one; drop role quick_one",
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn a_read_only_session_changes_nothing() {
    let database = TestDatabase::create().await;
    prepare(
        &database,
        "create table public.t (x int); grant all on public.t to authenticated",
    )
    .await;
    let pool = pool_of_one(&database);
    let settings = Settings {
        read_only: true,
        ..Settings::default()
    };
    let insert = "insert into public.t values (1)";
    for _ in 0..2 {
        let session = pool.session("authenticated", "{}").with(&settings);
        let error = session.query(insert, &[]).await.unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::READ_ONLY_SQL_TRANSACTION));
        pool.session("authenticated", "{}")
            .query(insert, &[])
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_function_that_runs_first_may_refuse() {
    let database = TestDatabase::create().await;
    prepare(
        &database,
        r#"create table public.t (x int); grant all on public.t to anon, authenticated;
        create schema "Odd ""one";
        grant usage on schema "Odd ""one" to anon, authenticated;
        create function "Odd ""one"."check it"() returns void language plpgsql as $$
        begin
          if current_user = 'anon' then
            raise sqlstate 'PT403' using message = current_setting('request.path');
          end if;
          perform set_config('test.before', current_user::text, true);
        end $$"#,
    )
    .await;
    let pool = pool_of_one(&database);
    let before = Function {
        schema: Some(Ident::quote("Odd \"one").unwrap()),
        name: Ident::quote("check it").unwrap(),
    };
    let settings = Settings {
        before: Some(&before),
        request: Some(RequestSettings {
            method: "POST",
            path: "/t",
            headers: "{}",
            cookies: "{}",
        }),
        ..Settings::default()
    };
    let insert = "insert into public.t values (1) returning current_setting('test.before') as who";
    for _ in 0..2 {
        let session = pool.session("anon", "{}").with(&settings);
        let error = session.query(insert, &[]).await.unwrap_err();
        assert_eq!(error.code().map(SqlState::code), Some("PT403"));
        assert_eq!(error.message(), Some("/t"));
        let session = pool.session("authenticated", "{}").with(&settings);
        let row = session.query_opt(insert, &[]).await.unwrap().unwrap();
        assert_eq!(text(&row, "who"), "authenticated");
    }
    let count = "select count(*) as n from public.t";
    let row = database
        .superuser()
        .await
        .query_one(count, &[])
        .await
        .unwrap();
    assert_eq!(column::<i64>(&row, "n").unwrap(), 2);
}

#[tokio::test]
async fn a_setting_has_words_for_a_name() {
    for name in [
        "timezone",
        "storage.operation",
        "_a.b1.c",
        "App.settings.jwt_secret",
    ] {
        assert!(Setting::parse(name).is_ok(), "{name}");
    }
    for name in [
        "", "a.", ".a", "a b", "a;b", "a\"b", "1a", "a.1", "a-b", "\u{e4}", "a\0",
    ] {
        assert_eq!(Setting::parse(name), Err(QuoteError::NoSetting), "{name}");
    }
    let database = TestDatabase::create().await;
    let pool = pool_of_one(&database);
    let others = [
        (Setting::parse("App.settings.host").unwrap(), "it's"),
        (Setting::parse("TimeZone").unwrap(), "Europe/Berlin"),
        (Setting::parse("Search_Path").unwrap(), "\"a, b\", pg_temp"),
    ];
    let settings = Settings {
        others: &others,
        ..Settings::default()
    };
    let read = "select current_setting('app.settings.host') as host,
        current_setting('timezone') as zone, current_setting('search_path') as search_path";
    let session = pool.session("anon", "{}").with(&settings);
    let row = session.query_opt(read, &[]).await.unwrap().unwrap();
    assert_eq!(text(&row, "host"), "it's");
    assert_eq!(text(&row, "zone"), "Europe/Berlin");
    assert_eq!(text(&row, "search_path"), "\"a, b\", pg_temp");
    let wrong = [(Setting::new("timezone"), "Atlantis")];
    let settings = Settings {
        others: &wrong,
        ..Settings::default()
    };
    let session = pool.session("anon", "{}").with(&settings);
    let error = session.query(read, &[]).await.unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::INVALID_PARAMETER_VALUE));
}

#[tokio::test]
async fn a_database_that_stores_no_utf_8_is_refused() {
    let database = TestDatabase::create().await;
    let superuser = database.superuser().await;
    let row = superuser
        .query_one("select current_database()::text as name", &[])
        .await
        .unwrap();
    let name: String = column(&row, "name").unwrap();
    let name = format!("{name}_latin");
    let create = format!(
        "create database {name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'"
    );
    superuser.batch(sql(create)).await.unwrap();
    let mut config = database.config("authenticator");
    let url = config.url.expose().to_owned();
    let url = url.rsplit_once('/').map(|(server, rest)| {
        let query = rest.split_once('?').map_or("", |(_, query)| query);
        format!("{server}/{name}?{query}")
    });
    config.url = url.unwrap().as_str().into();
    let pool = Database::new(&config).unwrap();
    let error = pool.client().await.err().unwrap();
    assert_eq!(error.code(), Some(&SqlState::CHARACTER_NOT_IN_REPERTOIRE));
    assert!(error.retry_after().is_none());
    superuser
        .batch(sql(format!("drop database {name} with (force)")))
        .await
        .unwrap();
}
