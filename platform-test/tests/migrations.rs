//! Migrations: ledgers of any shape, files outside transactions.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations, Owner, Table, Turns, lock, run_all};
use platform::pg::{Client, DbError, Executor, column};
use platform_test::TestDatabase;

static NUMBERED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/numbered");
static DASHED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/dashed");
static TWICE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/twice");
static OWNED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/owned");
static TENS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/tens");

async fn number(client: &Client, sql: &'static str) -> i64 {
    column(&client.query_one(sql, &[]).await.unwrap(), "n").unwrap()
}

fn numbered(table: Table) -> Migrations {
    Migrations {
        scope: "numbered",
        files: &NUMBERED,
        ledger: Ledger::Upstream(table),
        lock: lock("numbered"),
        owner: Owner::Administrator,
        each_start: None,
    }
}

#[tokio::test]
async fn a_ledger_of_id_name_and_hash_is_kept_and_an_edited_file_refused() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    let ledger = "create schema ledgers;
      create table ledgers.migrations (id integer primary key, name text unique, hash text,
        executed_at timestamptz default now())";
    client.batch(ledger).await.unwrap();
    let part = numbered(Table {
        name: "ledgers.migrations",
        applied: "select lpad(id::text, 4, '0') as version, hash as checksum
          from ledgers.migrations",
        record: Some(
            "insert into ledgers.migrations (id, name, hash)
          values ($1::text::integer, $2, $3)",
        ),
        checksum: |name, sql| format!("{name}:{}", sql.len()),
    });
    let applied = part.run(&mut client).await.unwrap();
    assert_eq!(
        applied,
        ["numbered/0000_create-table", "numbered/0001_add-index"]
    );
    assert!(part.run(&mut client).await.unwrap().is_empty());
    let known = "select count(*) as n from ledgers.migrations
      where (id, name) in ((0, 'create-table'), (1, 'add-index')) and hash like '000%'";
    assert_eq!(number(&client, known).await, 2);
    let edit = "update ledgers.migrations set hash = 'other' where id = 1";
    client.batch(edit).await.unwrap();
    let refused = part.run(&mut client).await.unwrap_err().to_string();
    assert!(refused.contains("numbered/0001"), "{refused}");
}

#[tokio::test]
async fn a_ledger_of_numbers_is_kept_and_a_file_may_run_outside_a_transaction() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    let ledger = "create schema ledgers;
      create table ledgers.versions (version bigint primary key, inserted_at timestamp(0));
      insert into ledgers.versions values (20991231000000, now())";
    client.batch(ledger).await.unwrap();
    let part = numbered(Table {
        name: "ledgers.versions",
        applied: "select lpad(version::text, 4, '0') as version, null::text as checksum
          from ledgers.versions",
        record: Some(
            "insert into ledgers.versions (version, inserted_at)
          values ($1::text::bigint, now())",
        ),
        checksum: |_, _| String::new(),
    });
    assert_eq!(part.run(&mut client).await.unwrap().len(), 2);
    assert!(part.run(&mut client).await.unwrap().is_empty());
    let index = "select count(*) as n from pg_index
      where indexrelid = 'public.things_word'::regclass and indisvalid";
    assert_eq!(number(&client, index).await, 1);
}

/// A part with a ledger of its own.
fn own(scope: &'static str, files: &'static Dir<'static>) -> Migrations {
    Migrations {
        scope,
        files,
        ledger: Ledger::Own("ledgers"),
        lock: lock(scope),
        owner: Owner::Administrator,
        each_start: None,
    }
}

const VALID: &str = "select count(*) as n from pg_index
  where indexrelid = 'public.things_word'::regclass and indisvalid";

#[tokio::test]
async fn of_two_that_start_together_one_waits_and_finds_everything_applied() {
    let part = own("numbered", &NUMBERED);
    for _ in 0..3 {
        let database = TestDatabase::create().await;
        let [mut one, mut other] = [
            database.administrator().await,
            database.administrator().await,
        ];
        let (one, other) = tokio::join!(part.run(&mut one), part.run(&mut other));
        let mut applied = [one.unwrap().len(), other.unwrap().len()];
        applied.sort_unstable();
        assert_eq!(applied, [0, 2]);
        assert_eq!(number(&database.administrator().await, VALID).await, 1);
    }
}

#[tokio::test]
async fn of_two_that_start_together_one_makes_the_schema_of_a_role() {
    const ROLE: &str = "supabase_auth_admin";
    let part = Migrations {
        ledger: Ledger::Own("owned_ledger"),
        owner: Owner::Role(ROLE),
        ..own("owned", &OWNED)
    };
    for _ in 0..5 {
        let database = TestDatabase::create().await;
        let urls = [(ROLE, database.url(ROLE))];
        let urls = urls.into_iter().collect();
        let [mut one, mut other] = [
            database.administrator().await,
            database.administrator().await,
        ];
        let (one, other) = tokio::join!(
            run_all([&part], &mut one, &urls),
            run_all([&part], &mut other, &urls)
        );
        let mut applied = [one.unwrap().len(), other.unwrap().len()];
        applied.sort_unstable();
        assert_eq!(applied, [0, 1]);
    }
}

#[tokio::test]
async fn an_index_whose_making_was_broken_off_is_made_again() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    let part = own("numbered", &NUMBERED);
    part.run(&mut client).await.unwrap();
    let broken_off = "delete from ledgers.migrations where version = '0001';
      update pg_index set indisvalid = false
      where indexrelid = 'public.things_word'::regclass;
      create schema elsewhere; create table elsewhere.things (word text);
      create index things_word on elsewhere.things (word);
      update pg_index set indisvalid = false
      where indexrelid = 'elsewhere.things_word'::regclass";
    client.batch(broken_off).await.unwrap();
    let applied = part.run(&mut client).await.unwrap();
    assert_eq!(applied, ["numbered/0001_add-index"]);
    assert_eq!(number(&client, VALID).await, 1);
    let kept = "select count(*) as n from pg_class
      where oid = to_regclass('elsewhere.things_word')";
    assert_eq!(number(&client, kept).await, 1);
}

#[tokio::test]
async fn versions_are_numbers_and_files_that_would_be_left_out_are_refused() {
    let database = TestDatabase::create().await;
    let mut client = database.administrator().await;
    let applied = own("tens", &TENS).run(&mut client).await.unwrap();
    assert_eq!(applied, ["tens/2_create_table", "tens/10_add_column"]);
    for (part, said) in [
        (own("dashed", &DASHED), "0001-create-table.sql"),
        (own("twice", &TWICE), "the same version"),
    ] {
        let refused = part.run(&mut client).await.unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn whoever_waits_for_a_turn_says_so_holds_no_snapshot_and_gives_up_in_the_end() {
    let (log, database) = (Log::default(), TestDatabase::create().await);
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || written.clone());
    let _logged = tracing::subscriber::set_default(subscriber.finish());
    let (first, second) = (
        database.administrator().await,
        database.administrator().await,
    );
    let turns = Turns::new("the kitchen", lock("kitchen"));
    turns.take(&first).await.unwrap();
    assert!(log.0.lock().unwrap().is_empty());
    let short = Turns {
        longest: Duration::from_millis(500),
        ..turns
    };
    let given_up = short.take(&second).await.unwrap_err();
    assert!(matches!(given_up, DbError::Migration(_)), "{given_up}");
    assert!(given_up.to_string().contains("the kitchen"), "{given_up}");
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        log.matches("Waiting for another process").count(),
        1,
        "{log}"
    );
    assert!(log.contains("the kitchen"), "{log}");

    // The first makes an index while the second waits, which it could not if that held a snapshot.
    let work = async {
        let index = "create index concurrently on auth.users (phone, email)";
        first.batch(index).await.unwrap();
        turns.give(&first).await.unwrap();
    };
    let (taken, ()) = tokio::join!(turns.take(&second), work);
    taken.unwrap();
}
