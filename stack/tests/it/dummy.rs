//! A service that lives by the contract alone: this file and its migrations are all there is of it,
//! and one line puts it into the house.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use actix_web::web::{self, Bytes, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use include_dir::{Dir, include_dir};
use platform::env::Reader;
use platform::health::Health;
use platform::http::body::{self, BodyError, BodyRules};
use platform::pg::migrate::{Ledger, Migrations, Owner, lock};
use platform::pg::{Database, DatabaseConfig, Executor, column};
use platform::service::{Access, Definition, Plan, Row, Service};
use platform::telemetry::Counter;

/// Most bytes that `/bytes` takes.
pub(crate) const LIMIT: usize = 1 << 30;

/// What `/bytes` gives at once.
const PIECE: usize = 64 << 10;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/it/dummy");

pub(crate) static SERVICE: Definition = Definition {
    name: "dummy",
    mount: "/dummy/v1",
    rows: &[
        Row::under("/dummy/v1", Access::Key),
        Row::under("/dummy/v1/bytes", Access::Open),
    ],
    roles: &["authenticator"],
    migrations: &[Migrations {
        scope: "dummy",
        files: &FILES,
        ledger: Ledger::Own("dummy"),
        lock: lock("dummy"),
        owner: Owner::Administrator,
    }],
    read,
};

/// What a test sees of its dummy, by name.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) is_ill: Arc<AtomicBool>,
    pub(crate) ends: Arc<Mutex<Vec<&'static str>>>,
}

pub(crate) fn seen(name: &str) -> Seen {
    static ALL: LazyLock<Mutex<HashMap<String, Seen>>> = LazyLock::new(Mutex::default);
    ALL.lock()
        .unwrap()
        .entry(name.to_owned())
        .or_default()
        .clone()
}

fn read(env: &Reader<'_>) -> Plan {
    let name = env.required("DUMMY_NAME");
    Box::new(move |house| {
        let config = DatabaseConfig::new(house.databases.of("authenticator")?, "dummy");
        let dummy = Dummy {
            database: Database::new(&config)?,
            counted: house.metrics.counter("dummy_bytes", "Bytes in and out"),
            seen: seen(&name),
        };
        let (stopping, ends) = (house.tasks.stopping().clone(), Arc::clone(&dummy.seen.ends));
        house.tasks.spawn(async move {
            stopping.cancelled().await;
            ends.lock().unwrap().push("task");
        });
        Ok(Arc::new(Living(Data::new(dummy))))
    })
}

struct Dummy {
    database: Database,
    counted: Counter,
    seen: Seen,
}

struct Living(Data<Dummy>);

#[async_trait]
impl Service for Living {
    fn routes(&self, config: &mut ServiceConfig) {
        config
            .app_data(self.0.clone())
            .route("/word", web::get().to(get_word))
            .route("/bytes", web::put().to(put_bytes))
            .route("/bytes", web::get().to(get_bytes));
    }

    async fn health(&self) -> Health {
        if self.0.seen.is_ill.load(Ordering::Relaxed) {
            return Health::down("The dummy has a cold");
        }
        self.0
            .database
            .health("select 1 as well from dummy.notes")
            .await
    }

    async fn flush(&self) {
        self.0.seen.ends.lock().unwrap().push("flush");
    }
}

/// What its own migration has written down.
async fn get_word(dummy: Data<Dummy>) -> HttpResponse {
    let client = dummy.database.client().await.unwrap();
    let row = client.query_one("select word from dummy.notes", &[]).await;
    HttpResponse::Ok().body(column::<String>(&row.unwrap(), "word").unwrap())
}

/// Counts a body that nobody could keep.
async fn put_bytes(dummy: Data<Dummy>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let rules = BodyRules {
        total: Duration::from_hours(1),
        ..BodyRules::default()
    };
    body::set_rules(&request, rules);
    let chunks = match body::stream(&request, payload.into_inner(), LIMIT) {
        Ok(chunks) => chunks,
        Err(error) => return refuse(error),
    };
    let mut chunks = std::pin::pin!(chunks);
    let mut all = 0;
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => all += chunk.len() as u64,
            Err(error) => return refuse(error),
        }
    }
    dummy.counted.inc_by(all);
    HttpResponse::Ok().body(all.to_string())
}

fn refuse(error: BodyError) -> HttpResponse {
    match error {
        BodyError::TooLarge(_) => HttpResponse::PayloadTooLarge().finish(),
        BodyError::TooSlow => HttpResponse::RequestTimeout().finish(),
        BodyError::Busy => HttpResponse::ServiceUnavailable().finish(),
        BodyError::Broken => HttpResponse::BadRequest().finish(),
    }
}

/// Makes up as many bytes as it takes.
async fn get_bytes(dummy: Data<Dummy>) -> HttpResponse {
    let piece = Bytes::from(vec![b'x'; PIECE]);
    dummy.counted.inc_by(LIMIT as u64);
    let pieces = stream::repeat_with(move || Ok::<_, actix_web::Error>(piece.clone()));
    HttpResponse::Ok().streaming(pieces.take(LIMIT / PIECE))
}
