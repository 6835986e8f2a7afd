//! What takes much of the machine, measured where no other test is in the way: in a process of its own,
//! one after the other.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::spawn_local;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use dummy::{LIMIT, SERVICE};
use started::Stack;

#[path = "../it/dummy.rs"]
mod dummy;
#[expect(dead_code, reason = "what others ask a stack")]
#[path = "../it/started.rs"]
mod started;

/// What is measured here is the process.
static ALONE: Mutex<()> = Mutex::const_new(());

/// What moving a body of a gibibyte may add to this process: less than an eighth of it.
const MOST_ADDED: u64 = LIMIT as u64 / 8;

/// How many connections of each kind are open when the house is told to end.
const OPEN: usize = 500;

async fn start(name: &str) -> Stack {
    Stack::start_with(&[&SERVICE], &[("DUMMY_NAME", name)]).await
}

async fn connect(stack: &Stack, head: &str) -> TcpStream {
    let mut socket = TcpStream::connect(stack.running.addresses.api)
        .await
        .unwrap();
    socket.write_all(head.as_bytes()).await.unwrap();
    socket
}

/// The next bytes, as many as there are in this text.
async fn hear(socket: &mut TcpStream, text: &str) {
    let mut heard = vec![0; text.len()];
    socket.read_exact(&mut heard).await.unwrap();
    assert_eq!(String::from_utf8(heard).unwrap(), text);
}

/// A request that is being handled, and whose body has not come to its end.
async fn begin(stack: &Stack) -> TcpStream {
    let head = "PUT /dummy/v1/bytes HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\
                content-length: 4\r\n\r\nab";
    let mut socket = connect(stack, head).await;
    hear(&mut socket, "HTTP/1.1 100 Continue\r\n\r\n").await;
    socket
}

/// A connection whose request has been answered.
async fn idle(stack: &Stack) -> TcpStream {
    let head = "PUT /dummy/v1/bytes HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n";
    let mut socket = connect(stack, head).await;
    hear(&mut socket, "HTTP/1.1 200 OK").await;
    let mut rest = Vec::new();
    while !rest.ends_with(b"\r\n\r\n0") {
        rest.push(socket.read_u8().await.unwrap());
    }
    socket
}

type Talking = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn talking(stack: &Stack) -> Talking {
    let app = stack.running.addresses.app.unwrap();
    let key = stack.publishable_key();
    let url = format!("ws://{app}/dummy/v1/socket?apikey={key}");
    let small = WebSocketConfig::default().read_buffer_size(2 << 10);
    let socket = connect_async_with_config(url.as_str(), Some(small), false).await;
    let (mut socket, _) = socket.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), "anon".into());
    socket
}

/// Does as a client does that is told that it is over, once it is.
async fn hear_the_end(mut socket: Talking) {
    let last = socket.next().await.unwrap().unwrap();
    assert!(last.is_close(), "{last}");
    while let Some(Ok(_)) = socket.next().await {}
}

async fn see_the_end(mut socket: TcpStream) {
    assert_eq!(socket.read(&mut [0; 16]).await.unwrap(), 0);
}

/// How long the house takes to end with so many idle connections, so many sockets and a request in flight,
/// which is answered when all others have been told and are gone.
async fn time_to_stop(open: usize) -> Duration {
    let stack = start("stop").await;
    let mut ends = Vec::new();
    let (mut idles, mut sockets) = (Vec::new(), Vec::new());
    for _ in 0..open {
        idles.push(idle(&stack).await);
        sockets.push(talking(&stack).await);
    }
    let mut in_flight = begin(&stack).await;
    let counted = format!("wildfire_http_sockets_open{{service=\"dummy\"}} {open}");
    let metrics = platform::telemetry::render();
    assert!(
        open == 0 || metrics.lines().any(|line| line == counted),
        "{metrics}"
    );
    ends.extend(idles.into_iter().map(|it| spawn_local(see_the_end(it))));
    ends.extend(sockets.into_iter().map(|it| spawn_local(hear_the_end(it))));
    let Stack { running, .. } = stack;
    let began = Instant::now();
    let stopped = spawn_local(running.stop());
    for end in join_all(ends).await {
        end.unwrap();
    }
    assert!(!stopped.is_finished());
    in_flight.write_all(b"cd").await.unwrap();
    hear(&mut in_flight, "HTTP/1.1 200 OK").await;
    stopped.await.unwrap();
    began.elapsed()
}

#[actix_web::test]
async fn a_thousand_connections_hear_of_the_end_and_do_not_hold_it_up() {
    let _alone = ALONE.lock().await;
    let none = time_to_stop(0).await;
    let thousand = time_to_stop(OPEN).await;
    println!(
        "ended after {none:?} with none, after {thousand:?} with {}",
        2 * OPEN
    );
    // One that has to be given up holds it up for as long as requests in flight get.
    assert!(thousand < none + platform::http::LONGEST_STOP / 2);
}

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: u64 = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kib << 10
}

/// The most memory in use while `work` is done, beyond what was before.
async fn added(work: impl Future<Output = ()>) -> u64 {
    let (before, most) = (resident(), Arc::new(AtomicU64::new(0)));
    let done = Arc::new(AtomicBool::new(false));
    let (noted, over) = (Arc::clone(&most), Arc::clone(&done));
    let watch = std::thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            noted.fetch_max(resident(), Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
    work.await;
    done.store(true, Ordering::Relaxed);
    watch.join().unwrap();
    most.load(Ordering::Relaxed).saturating_sub(before)
}

#[actix_web::test]
async fn a_gibibyte_goes_in_and_out_and_is_never_kept() {
    let _alone = ALONE.lock().await;
    let stack = start("bytes").await;
    let chunk = vec![b'x'; 64 << 10];
    let sending = async {
        let head = format!(
            "PUT /dummy/v1/bytes HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             content-length: {LIMIT}\r\n\r\n"
        );
        let mut socket = connect(&stack, &head).await;
        for _ in 0..LIMIT / chunk.len() {
            socket.write_all(&chunk).await.unwrap();
        }
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with(&LIMIT.to_string()), "{answer}");
    };
    let sent = added(sending).await;
    assert!(sent < MOST_ADDED, "{sent}");
    let taking = async {
        let head = "GET /dummy/v1/bytes HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let mut socket = connect(&stack, head).await;
        let (mut chunk, mut all) = (vec![0; 64 << 10], 0);
        loop {
            match socket.read(&mut chunk).await.unwrap() {
                0 => break,
                read => all += read,
            }
        }
        assert!(all > LIMIT, "{all}");
    };
    let taken = added(taking).await;
    assert!(taken < MOST_ADDED, "{taken}");
    let counted = "wildfire_dummy_bytes_total{service=\"dummy\"}";
    assert!(platform::telemetry::render().contains(counted));
    stack.running.stop().await;
}
