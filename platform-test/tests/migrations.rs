//! Migrations: ledgers of any shape, files outside transactions.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use include_dir::{Dir, include_dir};
use platform::pg::migrate::{Ledger, Migrations, Owner, Table, lock};
use platform::pg::{Client, Executor, column};
use platform_test::TestDatabase;

static NUMBERED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/parts/numbered");

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
    }
}

#[tokio::test]
async fn a_ledger_of_id_name_and_hash_is_kept_and_an_edited_file_refused() {
    let database = TestDatabase::create().await;
    let mut client = database.superuser().await;
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
    let mut client = database.superuser().await;
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
