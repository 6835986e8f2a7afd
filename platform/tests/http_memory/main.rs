//! What a connection costs in memory, counted to the byte. Alone in its process, because it counts
//! for all threads.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use platform::http::HttpConfig;
use tokio::io::AsyncReadExt as _;

use self::peer::Peer;
use self::server::{HUGE, LIMIT, PAGE, TestServer, generous};

#[expect(dead_code, reason = "shared with the other tests of the layer")]
#[path = "../http/peer.rs"]
mod peer;
#[expect(dead_code, reason = "shared with the other tests of the layer")]
#[path = "../http/server.rs"]
mod server;

/// Counts the bytes that are allocated now.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "there is no safe way to see what is allocated")]
// SAFETY: all is left to the system's allocator; growing is allocating, copying and freeing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let allocated = ALLOCATED.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(allocated, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most a connection may take whose client has sent much and gets nothing yet, or has got much.
const MOST: usize = 56 << 10;

const CONNECTIONS: usize = 50;

/// Runs a test in which no other allocates, nor the runtime of another.
fn alone(test: impl Future<Output = ()>) {
    static COUNTED: Mutex<()> = Mutex::new(());
    let _alone = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    actix_web::rt::System::new().block_on(test);
}

/// A request that waits, and four hundred behind it in the same packet.
fn many_behind_one() -> String {
    let waiting = "POST /keep HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx";
    let last = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    waiting.to_owned() + &"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(400) + last
}

#[test]
fn requests_behind_one_that_is_being_handled_take_no_memory() {
    alone(async {
        let server = TestServer::start(generous());
        let requests = many_behind_one();
        let mut peers = Vec::with_capacity(CONNECTIONS);
        let before = ALLOCATED.load(Relaxed);
        for _ in 0..CONNECTIONS {
            let mut peer = Peer::connect(&server).await;
            peer.send(&requests).await;
            server.body_kept().await;
            peers.push(peer);
        }
        let each = ALLOCATED.load(Relaxed).saturating_sub(before) / CONNECTIONS;
        assert!(each < MOST, "{each} bytes for each");
        server.gate.add_permits(1);
        for mut peer in peers {
            let answers = peer.read_text().await;
            assert_eq!(answers.matches("HTTP/1.1 200").count(), 402);
        }
        server.stop().await;
    });
}

#[test]
fn a_connection_that_has_had_much_keeps_little() {
    alone(async {
        let server = TestServer::start(generous());
        let upload = format!(
            "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {LIMIT}\r\n\r\n{}",
            "x".repeat(LIMIT)
        );
        let mut page = vec![0; 8 * PAGE];
        let mut peers = Vec::with_capacity(CONNECTIONS);
        let before = ALLOCATED.load(Relaxed);
        for _ in 0..CONNECTIONS {
            let mut peer = Peer::connect(&server).await;
            peer.send(&upload).await;
            assert_eq!(peer.status().await, Some(200));
            peer.send("GET /pages HTTP/1.1\r\nhost: x\r\n\r\n").await;
            peer.0.read_exact(&mut page).await.unwrap();
            // What is left of the answer, its head's length.
            peer.0.readable().await.unwrap();
            assert_ne!(peer.0.try_read(&mut page).unwrap(), 0);
            peers.push(peer);
        }
        let each = ALLOCATED.load(Relaxed).saturating_sub(before) / CONNECTIONS;
        assert!(each < MOST, "{each} bytes for each");
        server.stop().await;
    });
}

/// Most that an idle socket may take besides what its service keeps for it, by far less than the HTTP
/// layer keeps for each of its connections.
const MOST_OF_SOCKET: usize = 3 << 10;

const SOCKETS: usize = 1000;

#[test]
fn an_idle_socket_takes_little_although_it_has_had_much() {
    alone(async {
        let server = TestServer::start(HttpConfig {
            max_connections_per_address: SOCKETS,
            ..generous()
        });
        let talk = "x".repeat(16 << 10);
        let mut peers = Vec::with_capacity(SOCKETS);
        let before = ALLOCATED.load(Relaxed);
        for _ in 0..SOCKETS {
            let mut peer = Peer::connect(&server).await;
            let head = peer.upgrade("/socket", "websocket").await;
            assert!(head.starts_with("HTTP/1.1 101"), "{head}");
            peer.send(&talk).await;
            peer.hears(&talk).await;
            peers.push(peer);
        }
        let each = ALLOCATED.load(Relaxed).saturating_sub(before) / SOCKETS;
        println!("{each} bytes for each idle socket, its client's side included");
        assert!(each < MOST_OF_SOCKET, "{each} bytes for each");
        drop(peers);
        server.stop().await;
    });
}

/// Those of a long answer, which are one piece of memory until all of it has been taken.
#[test]
fn an_answer_that_has_been_read_in_part_counts_whole() {
    alone(async {
        let server = TestServer::start(HttpConfig {
            max_bytes_in_flight: HUGE,
            ..generous()
        });
        let mut deaf = Peer::connect(&server).await;
        deaf.send("GET /huge HTTP/1.1\r\nhost: x\r\n\r\n").await;
        let mut half = vec![0; HUGE / 2];
        deaf.0.read_exact(&mut half).await.unwrap();
        drop(half);
        assert!(ALLOCATED.load(Relaxed) >= HUGE);
        // So another's body is refused.
        let mut other = Peer::connect(&server).await;
        let length = 1 << 16;
        let head = format!("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
        other.push((head + &"x".repeat(length)).as_bytes()).await;
        assert_eq!(other.status().await, Some(503));
        server.stop().await;
    });
}

/// Each takes six bytes to send and many more to keep.
#[test]
fn a_body_of_tiny_chunks_takes_little_more_than_another() {
    alone(async {
        const LENGTH: usize = 20_000;
        let server = TestServer::start(generous());
        let head = "POST /echo HTTP/1.1\r\nhost: x\r\n";
        let whole = "x".repeat(LENGTH);
        let whole = format!("{head}content-length: {LENGTH}\r\n\r\n{whole}");
        let chunks = "1\r\nx\r\n".repeat(LENGTH) + "0\r\n\r\n";
        let chunks = format!("{head}transfer-encoding: chunked\r\n\r\n{chunks}");
        let mut most = [whole, chunks].map(|request| (request, 0));
        for (request, most) in &mut most {
            let mut peer = Peer::connect(&server).await;
            assert_eq!(peer.get().await, Some(200));
            let before = ALLOCATED.load(Relaxed);
            PEAK.store(before, Relaxed);
            peer.send(request).await;
            assert_eq!(peer.status().await, Some(200));
            *most = PEAK.load(Relaxed) - before;
        }
        let [(_, whole), (_, chunks)] = most;
        assert!(chunks < whole + MOST, "{chunks} bytes, {whole} of another");
        server.stop().await;
    });
}
