//! Names and values that a statement carries, against a real database.

use platform::pg::{Executor as _, Ident, Sql, column};
use platform_test::TestDatabase;

const HOSTILE: [&str; 9] = [
    "plain",
    "Mixed Case",
    "a\"b",
    "\"; drop table kept; --",
    "it's",
    "back\\slash\\'",
    "$$ and $1 and {schema}",
    "line\nbreak\tand \u{1f525}",
    "select",
];

#[tokio::test]
async fn names_and_values_arrive_as_they_are_whatever_they_hold() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    client.batch("create table kept ()").await.unwrap();
    for hostile in HOSTILE {
        let name = Ident::quote(hostile).unwrap();
        let mut create = Sql::new("create table ");
        create.push(&name).push(" (").push(&name).push(" text)");
        client.batch(create).await.unwrap();
        let mut insert = Sql::new("insert into ");
        insert.push(&name).push(" values (");
        insert.push(Sql::literal(hostile).unwrap()).push(")");
        client.batch(insert).await.unwrap();

        let mut select = Sql::new("select ");
        select.push(name.dot(&name)).push(" as value, ");
        select.push(Sql::param(1)).push("::text as given from ");
        select.push(name);
        let row = client.query_one(select, &[&hostile]).await.unwrap();
        assert_eq!(column::<&str>(&row, "value").unwrap(), hostile);
        assert_eq!(column::<&str>(&row, "given").unwrap(), hostile);
    }
    client.query("select from kept", &[]).await.unwrap();
}

#[tokio::test]
async fn values_are_quoted_for_servers_that_read_backslashes_too() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    for setting in ["on", "off"] {
        let mut choose = Sql::new("set standard_conforming_strings = ");
        choose.push(Sql::literal(setting).unwrap());
        client.batch(choose).await.unwrap();
        for hostile in HOSTILE {
            let mut select = Sql::new("select ");
            select
                .push(Sql::literal(hostile).unwrap())
                .push(" as value");
            select.push(" -- ").push(setting);
            let row = client.query_one(select, &[]).await.unwrap();
            assert_eq!(column::<&str>(&row, "value").unwrap(), hostile);
        }
    }
}
