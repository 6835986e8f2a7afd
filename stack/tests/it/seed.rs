//! The example content of `supabase/seed.sql`.

use platform::pg::Executor as _;
use platform_test::TestDatabase;

const SEED: &str = include_str!("../../../supabase/seed.sql");

const COUNTS: &str = "-- test.seed.counts
select
  (select count(*) from wildfire.repositories where visibility = 'public') as repositories,
  (select count(*) from wildfire.prompts) as prompts,
  (select count(*) from wildfire.prompt_versions) as versions";

const GREETING: &str = "-- test.seed.greeting
select version, template, version_metadata ->> 'description' as note
from wildfire.prompts where key = 'greeting'";

const READABLE: &str = "-- test.seed.readable
select count(*) as prompts from wildfire.prompts";

#[tokio::test]
async fn the_seed_loads_and_loading_it_again_changes_nothing() {
    let database = TestDatabase::create().await;
    let client = database.superuser().await;
    for _ in 0..2 {
        client.batch(SEED).await.unwrap();
        let row = client.query_one(COUNTS, &[]).await.unwrap();
        let counts: [i64; 3] =
            ["repositories", "prompts", "versions"].map(|name| row.try_get(name).unwrap());
        assert_eq!(counts, [5, 14, 18]);
    }
    let row = client.query_one(GREETING, &[]).await.unwrap();
    assert_eq!(row.get::<_, i32>("version"), 3);
    assert!(
        row.get::<_, String>("template")
            .ends_with("Today is {TODAY}.")
    );
    assert_eq!(row.get::<_, String>("note"), "Mention the day");
}

#[tokio::test]
async fn visitors_may_read_the_example_prompts() {
    let database = TestDatabase::create().await;
    database.superuser().await.batch(SEED).await.unwrap();
    let pool = database.pool("authenticator");
    let rows = pool
        .session("anon", "{}")
        .query(READABLE, &[])
        .await
        .unwrap();
    assert_eq!(rows[0].get::<_, i64>("prompts"), 14);
}
