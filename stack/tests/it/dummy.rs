//! A service that lives by the contract alone: this file and its migrations are all there is of it,
//! and one line puts it into the house.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use actix_web::http::header::HeaderName;
use actix_web::web::{self, Bytes, Data, Payload, Query};
use actix_web::{HttpRequest, HttpResponse};
use async_trait::async_trait;
use futures_util::{SinkExt as _, StreamExt as _, stream};
use include_dir::{Dir, include_dir};
use platform::env::Reader;
use platform::health::Health;
use platform::http::bearer;
use platform::http::body::{self, BodyError, BodyRules};
use platform::http::mount::{Mount, get, post, put};
use platform::http::upgrade::{self, RawSocket, UpgradeError};
use platform::jwt::Verifier;
use platform::pg::migrate::{Ledger, Migrations, Owner, lock};
use platform::pg::{Database, DatabaseConfig, Executor, PoolPlan, column};
use platform::service::{Access, Definition, Plan, Row, Service, Tasks};
use platform::telemetry::Counter;
use serde::Deserialize;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_util::sync::CancellationToken;

/// Most bytes that `/bytes` takes.
pub(crate) const LIMIT: usize = 1 << 30;

/// What `/bytes` gives at once.
const PIECE: usize = 64 << 10;

/// The role it logs in as, and that its part of the database belongs to.
const ROLE: &str = "dummy";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/it/dummy");

pub(crate) static SERVICE: Definition = Definition {
    name: "dummy",
    mount: "/dummy/v1",
    rows: &[
        Row::under("/dummy/v1", Access::Key),
        Row::under("/dummy/v1/bytes", Access::Open),
        Row::under("/dummy/v1/socket", Access::Socket),
    ],
    roles: &[ROLE],
    migrations: &[Migrations {
        scope: "dummy",
        files: &FILES,
        ledger: Ledger::Own("dummy"),
        lock: lock("dummy"),
        owner: Owner::Role(ROLE),
        each_start: None,
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
    let pools = [PoolPlan {
        role: ROLE,
        usual: DatabaseConfig::USUAL_CONNECTIONS,
        set: None,
        setting: "DUMMY_MAX_CONNECTIONS",
    }];
    Plan::new(pools, move |house| {
        let dummy = Dummy {
            database: house.database(ROLE, |url| DatabaseConfig::new(url, "dummy"))?,
            verifier: house.verifier.clone(),
            tasks: house.tasks.clone(),
            workers: Arc::default(),
            counted: house.metrics.counter("dummy_bytes", "Bytes in and out"),
            seen: seen(&name),
        };
        dummy.note_end("task");
        Ok(Arc::new(Living(Data::new(dummy))))
    })
}

struct Dummy {
    database: Database,
    verifier: Verifier,
    tasks: Tasks,
    /// One is held by each worker as long as it lives.
    workers: Arc<Worker>,
    counted: Counter,
    seen: Seen,
}

#[derive(Default)]
struct Worker;

impl Dummy {
    /// Notes the end in a task that is slow to come to its own: it lasts until no worker is left.
    fn note_end(&self, what: &'static str) {
        let stopping = self.tasks.stopping().clone();
        let (ends, workers) = (Arc::clone(&self.seen.ends), Arc::downgrade(&self.workers));
        self.tasks.spawn(async move {
            stopping.cancelled().await;
            // The dummy itself has one.
            while workers.strong_count() > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            ends.lock().unwrap().push(what);
        });
    }
}

struct Living(Data<Dummy>);

#[async_trait]
impl Service for Living {
    fn routes(&self, mount: &mut Mount<'_>) {
        let otherwise = || web::to(HttpResponse::MethodNotAllowed);
        mount.data(self.0.clone());
        mount.data(Data::from(Arc::clone(&self.0.workers)));
        mount.resource("/note", [post(post_note)], otherwise());
        mount.resource("/word", [get(get_word)], otherwise());
        mount.resource("/caller", [get(get_caller)], otherwise());
        mount.resource("/socket", [get(get_socket)], otherwise());
        mount.resource("/bytes", [put(put_bytes), get(get_bytes)], otherwise());
    }

    async fn health(&self) -> Health {
        if self.0.seen.is_ill.load(Ordering::Relaxed) {
            return Health::down("The dummy has a cold");
        }
        self.0
            .database
            .health("select true as ready from dummy.notes")
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

/// Starts what outlives its request.
async fn post_note(dummy: Data<Dummy>) -> HttpResponse {
    dummy.note_end("task of a request");
    HttpResponse::NoContent().finish()
}

/// The role of who calls: a user by his token, or a key by the token that the gateway makes of it.
async fn get_caller(dummy: Data<Dummy>, request: HttpRequest) -> HttpResponse {
    match role(&dummy, bearer::token(request.headers())) {
        Some(role) => HttpResponse::Ok().body(role),
        None => HttpResponse::Unauthorized().finish(),
    }
}

fn role(dummy: &Dummy, token: Option<&str>) -> Option<String> {
    dummy.verifier.verify(token?).ok()?.claims.role.clone()
}

#[derive(Deserialize)]
struct Presented {
    apikey: Option<String>,
}

/// A WebSocket that says who calls, and then what it is told. A browser sends no headers with it, so
/// the key is in the query.
async fn get_socket(
    dummy: Data<Dummy>,
    request: HttpRequest,
    presented: Query<Presented>,
) -> HttpResponse {
    let Some(role) = role(&dummy, presented.apikey.as_deref()) else {
        return HttpResponse::Unauthorized().finish();
    };
    let key = request.headers().get("sec-websocket-key");
    let accept = key.map(|key| derive_accept_key(key.as_bytes()));
    let stopping = dummy.tasks.stopping().clone();
    let session = async move |socket: RawSocket| {
        let small = WebSocketConfig::default()
            .read_buffer_size(2 << 10)
            .write_buffer_size(0);
        let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(small));
        talk(socket.await, &role, &stopping).await.unwrap();
    };
    let Some(accept) = accept else {
        return HttpResponse::BadRequest().finish();
    };
    match upgrade::claim(&request, "websocket", session) {
        Ok(mut answer) => {
            let accept = accept.parse().unwrap();
            let name = HeaderName::from_static("sec-websocket-accept");
            answer.headers_mut().insert(name, accept);
            answer
        }
        Err(UpgradeError::NotAsked) => HttpResponse::UpgradeRequired().finish(),
        Err(UpgradeError::HasBody) => HttpResponse::BadRequest().finish(),
    }
}

async fn talk(
    mut socket: WebSocketStream<RawSocket>,
    role: &str,
    stopping: &CancellationToken,
) -> Result<(), tungstenite::Error> {
    socket.send(Message::text(role)).await?;
    while let Some(next) = stopping.run_until_cancelled(socket.next()).await {
        match next.transpose()? {
            Some(said) if said.is_text() || said.is_binary() => socket.send(said).await?,
            Some(_) => {}
            None => return Ok(()),
        }
    }
    let away = CloseFrame {
        code: CloseCode::Away,
        reason: "the server stops".into(),
    };
    socket.get_ref().closes_because("stopping");
    socket.close(Some(away)).await
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
