//! What a connection costs in memory, counted to the byte. Alone in its process, because it counts
//! for all threads.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use self::peer::Peer;
use self::server::{TestServer, generous};

#[expect(dead_code, reason = "shared with the other tests of the layer")]
#[path = "../http/peer.rs"]
mod peer;
#[expect(dead_code, reason = "shared with the other tests of the layer")]
#[path = "../http/server.rs"]
mod server;

/// Counts the bytes that are allocated now.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "there is no safe way to see what is allocated")]
// SAFETY: all is left to the system's allocator; growing is allocating, copying and freeing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
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

/// Most a connection may take whose client has sent much and gets nothing yet.
const MOST: usize = 64 << 10;

const CONNECTIONS: usize = 50;

/// A request that waits, and four hundred behind it in the same packet.
fn many_behind_one() -> String {
    let waiting = "POST /keep HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx";
    let last = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    waiting.to_owned() + &"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(400) + last
}

#[actix_web::test]
async fn requests_behind_one_that_is_being_handled_take_no_memory() {
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
}
