//! A server with a few routes that show what the layer does.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Bytes, Payload};
use actix_web::{App, HttpRequest, HttpResponse};
use futures_util::{FutureExt as _, stream};
use platform::http::body::{self, BodyError, BodyRules};
use platform::http::upgrade::{RawSocket, UpgradeError, claim};
use platform::http::{AnsweredBy, Connections, HttpConfig, observe, serve, stop};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Largest body `/echo` reads.
pub(crate) const LIMIT: usize = 1 << 20;

/// More than the kernel's buffers between two sockets take.
pub(crate) const HUGE: usize = 64 << 20;

/// What `/page` answers: too little to be handed out in pieces.
pub(crate) const PAGE: usize = 10 << 10;

/// So long that it never passes within a test.
pub(crate) const NEVER: Duration = Duration::from_hours(1);

/// So short that a test can wait for it.
pub(crate) const SOON: Duration = Duration::from_millis(200);

/// No deadline passes and no bound is reached.
pub(crate) fn generous() -> HttpConfig {
    HttpConfig {
        first_byte_timeout: NEVER,
        head_timeout: NEVER,
        keep_alive: NEVER,
        write_timeout: NEVER,
        body: BodyRules {
            total: NEVER,
            span: NEVER,
            progress: 1,
        },
        ..HttpConfig::default()
    }
}

/// A listener whose connections keep little that their clients do not take.
fn listen() -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(64 << 10).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    socket.listen(1024).unwrap().into_std().unwrap()
}

pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    /// Hears of each answer of `/huge` that nobody holds any more, of each body that `/keep` has
    /// read, and of each `/never` that has been given up.
    events: Mutex<UnboundedReceiver<()>>,
    /// What `/keep` waits for.
    pub(crate) gate: Arc<Semaphore>,
    handle: ServerHandle,
    connections: Arc<Connections>,
}

impl TestServer {
    pub(crate) fn start(config: HttpConfig) -> Self {
        let listener = listen();
        let address = listener.local_addr().unwrap();
        let (events, heard) = unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        let shared_gate = Arc::clone(&gate);
        let connections = Connections::new(config);
        let server = serve(&connections, 1, [listener], move || {
            App::new()
                .app_data(web::Data::new(events.clone()))
                .app_data(web::Data::from(Arc::clone(&shared_gate)))
                .route("/", web::get().to(async || "hello"))
                .route("/page", web::get().to(async || "x".repeat(PAGE)))
                .route("/pages", web::get().to(async || "x".repeat(8 * PAGE)))
                .route("/refuse", web::post().to(HttpResponse::Unauthorized))
                .route("/echo", web::post().to(echo))
                .route("/keep", web::post().to(keep))
                .route("/never", web::get().to(never))
                .route("/patient", web::post().to(patient))
                .route("/huge", web::get().to(huge))
                .route("/socket", web::get().to(socket))
                .route("/socket", web::post().to(socket))
                .route("/talk", web::get().to(talk))
                .route("/deaf", web::get().to(deaf))
                .route("/elsewhere", web::get().to(elsewhere))
                .route("/leave", web::get().to(leave))
                .route("/give-up", web::get().to(give_up))
                .service(
                    web::scope("/logged")
                        .app_data(AnsweredBy("echo"))
                        .wrap(from_fn(observe))
                        .route("/never/{word}", web::get().to(never))
                        .route("/panic/{word}", web::get().to(panic))
                        .route("/plain/{words}", web::to(HttpResponse::Ok))
                        .route("/{name}", web::get().to(socket)),
                )
        });
        let server = server.unwrap();
        let handle = server.handle();
        tokio::spawn(server);
        Self {
            address,
            events: Mutex::new(heard),
            gate,
            handle,
            connections,
        }
    }

    /// Waits until a socket's session is over.
    pub(crate) async fn socket_closed(&self) {
        self.event().await;
    }

    /// Stops it as a process does that is told to end.
    pub(crate) fn finish(&self) -> impl Future<Output = ()> + use<> {
        let (connections, handle) = (Arc::clone(&self.connections), self.handle.clone());
        async move { stop(&connections, &[handle]).await }
    }

    /// Waits until the answer of a `/huge` is no longer held.
    pub(crate) async fn answer_dropped(&self) {
        self.event().await;
    }

    /// Waits until a `/keep` has its body.
    pub(crate) async fn body_kept(&self) {
        self.event().await;
    }

    /// Waits until a `/never` has been given up.
    pub(crate) async fn given_up(&self) {
        self.event().await;
    }

    /// Waits until no connection of it is left, nor what answers one.
    #[expect(clippy::await_holding_lock, reason = "each test waits in one place")]
    pub(crate) async fn stop(self) {
        self.handle.stop(false).await;
        while self.events.lock().unwrap().recv().await.is_some() {}
    }

    #[expect(clippy::await_holding_lock, reason = "each test waits in one place")]
    async fn event(&self) {
        self.events.lock().unwrap().recv().await.unwrap();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

async fn echo(request: HttpRequest, payload: Payload) -> HttpResponse {
    respond(body::read(&request, payload.into_inner(), LIMIT).await)
}

/// Answers when the gate is opened.
async fn keep(
    request: HttpRequest,
    payload: Payload,
    events: web::Data<UnboundedSender<()>>,
    gate: web::Data<Semaphore>,
) -> HttpResponse {
    let body = body::read(&request, payload.into_inner(), LIMIT).await;
    let _ = events.send(());
    let passed = gate.acquire().await;
    drop(passed);
    respond(body)
}

async fn panic() -> HttpResponse {
    panic!("a handler with a fault");
}

/// Never answers; tells when nobody waits for it any longer.
async fn never(events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    let _told = Told(events.into_inner());
    std::future::pending().await
}

async fn patient(request: HttpRequest, payload: Payload) -> HttpResponse {
    let unbounded = BodyRules {
        total: Duration::ZERO,
        span: Duration::ZERO,
        progress: 0,
    };
    body::set_rules(&request, unbounded);
    respond(body::read(&request, payload.into_inner(), LIMIT).await)
}

fn respond(body: Result<Bytes, BodyError>) -> HttpResponse {
    match body {
        Ok(body) => HttpResponse::Ok().body(body.len().to_string()),
        Err(BodyError::TooLarge(_)) => HttpResponse::PayloadTooLarge().finish(),
        Err(BodyError::TooSlow) => HttpResponse::RequestTimeout().finish(),
        Err(BodyError::Busy) => HttpResponse::ServiceUnavailable().finish(),
        Err(BodyError::Broken) => HttpResponse::BadRequest().finish(),
    }
}

/// Tells when it is dropped.
struct Told(Arc<UnboundedSender<()>>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn huge(drops: web::Data<UnboundedSender<()>>) -> HttpResponse {
    let told = Told(drops.into_inner());
    let whole = stream::unfold(Some(told), async |told| {
        let told = told?;
        let bytes = Bytes::from(vec![b'x'; HUGE]);
        Some((Ok::<_, actix_web::Error>((bytes, told)), None))
    });
    // The second item is kept with the first until the client has taken all of it.
    let mut kept = None;
    let bytes = futures_util::StreamExt::map(whole, move |item| {
        item.map(|(bytes, told)| {
            kept = Some(told);
            bytes
        })
    });
    HttpResponse::Ok().streaming(bytes)
}

/// What `/socket` says when its client has ended his side.
pub(crate) const BYE: &str = "bye";

/// Says what it is told, whatever the protocol is called.
async fn socket(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    upgraded(&request, events, async |mut socket| {
        let mut chunk = [0; 64];
        loop {
            match socket.read(&mut chunk).await {
                Ok(0) => break,
                Ok(read) => socket.write_all(&chunk[..read]).await.unwrap(),
                Err(_) => return,
            }
        }
        socket.write_all(BYE.as_bytes()).await.unwrap();
    })
}

/// Talks and does not listen.
async fn talk(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    upgraded(&request, events, async |mut socket| {
        while socket.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
}

/// Hears nothing, not even that it has ended.
async fn deaf(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    upgraded(&request, events, async |_socket| {
        std::future::pending::<()>().await;
    })
}

/// Has each direction used on a thread of its own, and waits for neither.
async fn elsewhere(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    let told = [(); 2].map(|()| Told(events.clone().into_inner()));
    upgraded(&request, events, async |socket| {
        let (mut reader, mut writer) = tokio::io::split(socket);
        let [hears, talks] = told;
        alone(async move {
            while reader.read(&mut [0; 64]).await.is_ok_and(|it| it > 0) {}
            drop(hears);
        });
        alone(async move {
            while writer.write_all(&[b'x'; 4096]).await.is_ok() {}
            drop(talks);
        });
        std::future::pending::<()>().await;
    })
}

fn alone(work: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(|| {
        Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(work);
    });
}

/// Says something and leaves, whatever else it is told.
async fn leave(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    upgraded(&request, events, async |mut socket| {
        socket.read_u8().await.unwrap();
        socket.write_all(BYE.as_bytes()).await.unwrap();
    })
}

/// How many bytes the last `/give-up` has written.
pub(crate) static GIVEN_UP_AT: AtomicUsize = AtomicUsize::new(0);

/// Talks until its client takes nothing, gives up, and then says what it is told.
async fn give_up(request: HttpRequest, events: web::Data<UnboundedSender<()>>) -> HttpResponse {
    let given_up = events.clone();
    upgraded(&request, events, async move |mut socket| {
        let mut written = 0;
        while let Some(more) = socket.write(&[b'x'; 4096]).now_or_never() {
            written += more.unwrap();
        }
        GIVEN_UP_AT.store(written, Ordering::Relaxed);
        given_up.send(()).unwrap();
        while let Ok(said) = socket.read_u8().await {
            socket.write_u8(said).await.unwrap();
        }
    })
}

fn upgraded<F>(
    request: &HttpRequest,
    events: web::Data<UnboundedSender<()>>,
    session: F,
) -> HttpResponse
where
    F: AsyncFnOnce(RawSocket) + Send + 'static,
{
    let upgrade = request.headers().get("upgrade");
    let is_web = upgrade.is_some_and(|it| it == "websocket");
    let protocol = if is_web { "websocket" } else { "echo" };
    let told = Told(events.into_inner());
    let claimed = claim(request, protocol, move |socket| async move {
        let _told = told;
        session(socket).await;
    });
    match claimed {
        Ok(answer) => answer,
        Err(UpgradeError::NotAsked) => HttpResponse::UpgradeRequired().finish(),
        Err(UpgradeError::HasBody) => HttpResponse::BadRequest().finish(),
    }
}
