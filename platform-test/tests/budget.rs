//! The connections of a small server, divided among pools that are all full at once.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must fail loudly"
)]

use std::sync::Arc;

use platform::clock::Clock;
use platform::cluster::{Binaries, Cluster, FindOptions};
use platform::env::Secret;
use platform::http::mount::Mount;
use platform::jwt::Verifier;
use platform::mail::NoMailer;
use platform::pg::{
    Budget, Client, Database, DatabaseConfig, DbError, Executor as _, Offer, PoolPlan, SqlState,
};
use platform::service::{House, Plan, PoolSizes, Service, StartError};
use platform_test::tokens;

const SETUP: &str = "
    create role one login password 'secret';
    create role two login password 'secret'";

async fn small_server() -> Cluster {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).setting("max_connections", "10");
    let cluster = cluster.start().await.unwrap();
    let admin = pool(&cluster.superuser_url("postgres"), 1);
    admin.client().await.unwrap().batch(SETUP).await.unwrap();
    admin.close();
    cluster
}

fn pool(url: &str, size: usize) -> Database {
    let config = DatabaseConfig {
        max_connections: size,
        ..DatabaseConfig::new(Secret::from(url), "test")
    };
    Database::new(&config).unwrap()
}

async fn fill(database: &Database, size: usize, held: &mut Vec<Client>) {
    for _ in 0..size {
        let client = database.client().await.unwrap();
        client.query_one("select 1 as one", &[]).await.unwrap();
        held.push(client);
    }
}

fn wanted(role: &'static str, set: Option<usize>) -> PoolPlan {
    PoolPlan {
        role,
        usual: DatabaseConfig::USUAL_CONNECTIONS,
        set,
        setting: "POOL_SIZE",
    }
}

#[tokio::test]
async fn pools_that_share_a_small_server_can_all_be_full_and_leave_some() {
    let cluster = small_server().await;
    let url = |role| cluster.url(role, "secret", "postgres");
    let asking = pool(&url("one"), 1);
    let offer = Offer::of(&asking.client().await.unwrap()).await.unwrap();
    asking.close();
    assert_eq!((offer.most, offer.reserved, offer.limited), (10, 3, None));
    let budget = Budget::divide(&offer, &[wanted("one", None), wanted("two", None)]);
    assert_eq!(budget.sizes, [3, 3]);
    assert!(budget.warning.unwrap().contains("max_connections is 10"));

    let mut held = Vec::new();
    fill(
        &pool(&url("one"), budget.sizes[0]),
        budget.sizes[0],
        &mut held,
    )
    .await;
    fill(
        &pool(&url("two"), budget.sizes[1]),
        budget.sizes[1],
        &mut held,
    )
    .await;
    // What is left is for people; then there is nothing more, as with pools of the usual size.
    let people = pool(&url("two"), 2);
    fill(&people, offer.usable() - held.len(), &mut held).await;
    let refused = people.client().await.err().unwrap();
    assert_eq!(refused.code(), Some(&SqlState::TOO_MANY_CONNECTIONS));
    drop(held);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_limit_of_the_database_and_of_a_role_is_seen() {
    let cluster = small_server().await;
    let admin = pool(&cluster.superuser_url("postgres"), 1);
    let limit = "alter database postgres connection limit 5; alter role two connection limit 1";
    admin.client().await.unwrap().batch(limit).await.unwrap();
    let url = cluster.url("one", "secret", "postgres");
    let offer = Offer::of(&pool(&url, 1).client().await.unwrap())
        .await
        .unwrap();
    assert_eq!((offer.limited, offer.usable()), (Some(5), 5));
    assert_eq!(offer.roles, [("two".to_owned(), 1)]);
    let set = [wanted("one", Some(4)), wanted("two", None)];
    let budget = Budget::divide(&offer, &set);
    assert_eq!(budget.sizes, [4, 1]);
    let warning = budget.warning.unwrap();
    assert!(warning.contains("two may open 1"), "{warning}");
    let offer = Offer {
        roles: Vec::new(),
        ..offer
    };
    let warning = Budget::divide(&offer, &set).warning.unwrap();
    assert!(
        warning.contains("connection limit of the database"),
        "{warning}"
    );
    cluster.stop().await.unwrap();
}

struct Nothing;

impl Service for Nothing {
    fn routes(&self, _: &mut Mount<'_>) {}
}

#[tokio::test]
async fn a_pool_is_planned_and_opened_once() {
    let clock = Clock::system();
    let verifier = Verifier::new(tokens::keyring(), clock.clone());
    let url = |role| (role, "postgres://somebody@127.0.0.1/none".to_owned());
    let urls = ["one", "two"].map(url).into_iter().collect();
    let house = House::new(urls, verifier, clock, Arc::new(NoMailer)).unwrap();
    let offer = Offer {
        most: 10,
        ..Offer::default()
    };
    let plan = |opened: &'static [&'static str]| {
        Plan::new([wanted("one", None)], move |house| {
            for role in opened {
                let pool = house.database(role, |url| DatabaseConfig::new(url, "test"))?;
                assert_eq!(pool.usage().1, 8);
            }
            Ok(Arc::new(Nothing))
        })
    };
    let (sizes, _) = PoolSizes::divide(&offer, [("nothing", &plan(&[]))]);
    let house = house.with_sizes(sizes);
    house.start("nothing", plan(&["one"])).unwrap();
    for refused in [&["one", "one"][..], &["two"]] {
        let refused = house.start("nothing", plan(refused)).err().unwrap();
        assert!(matches!(refused, StartError::Database(DbError::Config(_))));
    }
}
