//! Each service as a process of its own, from its settings to its last answer.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use platform::api_keys::DEMO_JWT_SECRET;
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions};
use platform::jwt::Verifier;
use platform::mail::NoMailer;
use platform::pg::{Client, Executor as _, Sql, column};
use platform::service::{Definition, House, run_alone};
use platform_test::{TestDatabase, tokens};
use reqwest::Response;

/// A service, and what is asked of it while nobody may read a table.
struct Alone {
    definition: &'static Definition,
    lock: &'static str,
    path: &'static str,
    status: u16,
}

fn options() -> ServeOptions {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    ServeOptions {
        host: "127.0.0.1".to_owned(),
        port: free.local_addr().unwrap().port(),
        workers: 1,
        http: HttpConfig::default(),
        traces: None,
    }
}

fn house(definition: &Definition, database: &TestDatabase) -> House {
    let clock = Clock::system();
    let verifier = Verifier::new(tokens::keyring(), clock.clone());
    let urls = definition.roles.iter();
    let urls = urls.map(|role| (*role, database.url(role))).collect();
    House::new(urls, verifier, clock, Arc::new(NoMailer)).unwrap()
}

async fn is_waiting(superuser: &Client) -> bool {
    let waits = "select exists (
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      ) as waits";
    let row = superuser.query_one(waits, &[]).await.unwrap();
    column(&row, "waits").unwrap()
}

async fn get(url: String) -> reqwest::Result<Response> {
    // No connection is kept, so that each request shows whether new ones are let in.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0);
    let request = client.build().unwrap().get(url);
    request.bearer_auth(tokens::service_role()).send().await
}

impl Alone {
    /// Starts it, asks it, and tells it to stop while a request waits for the database.
    async fn run(self) {
        let vars = Vars::from([
            ("GOTRUE_DB_DRIVER", "postgres"),
            ("API_EXTERNAL_URL", "http://127.0.0.1/auth/v1"),
            ("GOTRUE_SITE_URL", "http://127.0.0.1"),
            ("GOTRUE_JWT_SECRET", DEMO_JWT_SECRET),
        ]);
        let env = Reader::new(&vars);
        let plan = (self.definition.read)(&env);
        env.finish().unwrap();
        let database = TestDatabase::create().await;
        let (options, house) = (options(), house(self.definition, &database));
        let address = format!("http://127.0.0.1:{}", options.port);
        let tasks = house.tasks.clone();
        let mut served = pin!(run_alone(self.definition, plan, &house, options));
        let health = async {
            loop {
                match get(format!("{address}/health")).await {
                    Ok(health) => return health,
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        };
        tokio::select! {
            biased;
            ended = &mut served => panic!("nobody told it to end: {ended:?}"),
            health = health => assert_eq!(health.status(), 200),
        }
        let asked = async {
            let superuser = database.superuser().await;
            let mut holder = database.superuser().await;
            let tx = holder.begin();
            tx.batch(Sql::new(self.lock)).await.unwrap();
            let held = tokio::spawn(get(format!("{address}{}", self.path)));
            while !is_waiting(&superuser).await {
                assert!(!held.is_finished(), "{:?}", held.await);
            }
            tasks.stop();
            while get(format!("{address}/health")).await.is_ok() {}
            assert!(is_waiting(&superuser).await);
            tx.rollback().await.unwrap();
            let answer = held.await.unwrap().unwrap();
            assert_eq!(answer.status(), self.status);
            assert!(answer.text().await.unwrap().starts_with('{'));
        };
        let (served, ()) = tokio::join!(served, asked);
        served.unwrap();
    }
}

#[actix_web::test]
async fn auth_alone_answers_what_was_asked_before_it_was_stopped() {
    let alone = Alone {
        definition: &gotrue::SERVICE,
        lock: "lock table auth.users",
        path: "/admin/users",
        status: 200,
    };
    alone.run().await;
}

#[actix_web::test]
async fn the_prompt_api_alone_answers_what_was_asked_before_it_was_stopped() {
    let alone = Alone {
        definition: &prompt_api::SERVICE,
        lock: "lock table wildfire.prompts",
        path: "/api/v1/prompts/by-key/nothing",
        status: 404,
    };
    alone.run().await;
}
