//! Request bodies: deadlines, sizes, and what is in flight.

use platform::http::HttpConfig;
use platform::http::body::BodyRules;

use super::peer::Peer;
use super::server::{HUGE, LIMIT, NEVER, SOON, TestServer, generous};

/// A body that counts as one that takes memory.
const NOT_SMALL: usize = 20 << 10;

pub(crate) fn post(path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n")
}

fn with_rules(body: BodyRules) -> TestServer {
    TestServer::start(HttpConfig { body, ..generous() })
}

#[actix_web::test]
async fn a_body_that_makes_no_progress_is_refused() {
    let server = with_rules(BodyRules {
        total: NEVER,
        span: SOON,
        progress: 2,
    });
    let mut peer = Peer::connect(&server).await;
    peer.send(&post("/echo", 2)).await;
    peer.send("a").await;
    assert_eq!(peer.status().await, Some(408));
}

#[actix_web::test]
async fn a_body_that_makes_progress_for_ever_is_refused_in_the_end() {
    let server = with_rules(BodyRules {
        total: SOON,
        span: NEVER,
        progress: 0,
    });
    let mut peer = Peer::connect(&server).await;
    peer.send(&post("/echo", 2)).await;
    peer.send("a").await;
    assert_eq!(peer.status().await, Some(408));
}

#[actix_web::test]
async fn a_route_may_give_bodies_more_time() {
    let server = with_rules(BodyRules {
        total: SOON,
        span: SOON,
        progress: 2,
    });
    let mut patient = Peer::connect(&server).await;
    patient.send(&post("/patient", 2)).await;
    patient.send("a").await;
    // Started later with the same deadlines, and refused: so they have passed for the first.
    let mut other = Peer::connect(&server).await;
    other.send(&post("/echo", 2)).await;
    assert_eq!(other.status().await, Some(408));
    patient.send("b").await;
    assert_eq!(patient.status().await, Some(200));
}

#[actix_web::test]
async fn a_body_that_announces_too_much_is_refused_before_it_comes() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send(&post("/echo", LIMIT + 1)).await;
    assert_eq!(peer.status().await, Some(413));
}

#[actix_web::test]
async fn a_body_without_an_announced_end_is_refused_once_too_large() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        .await;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(1 << 16));
    for _ in 0..=LIMIT >> 16 {
        peer.push(chunk.as_bytes()).await;
    }
    assert_eq!(peer.status().await, Some(413));
}

#[actix_web::test]
async fn a_body_of_many_tiny_chunks_arrives_whole() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        .await;
    peer.send(&"1\r\nx\r\n".repeat(100_000)).await;
    peer.send("0\r\n\r\n").await;
    assert_eq!(peer.status().await, Some(200));
}

/// Both parts may be read at once, so one connection proves little.
#[actix_web::test]
async fn a_body_behind_a_head_in_two_parts_arrives_whole() {
    let server = TestServer::start(generous());
    let length = LIMIT.min(256 << 10);
    let request = post("/echo", length) + &"x".repeat(length);
    let (first, rest) = request.split_at(20);
    for _ in 0..100 {
        let mut peer = Peer::connect(&server).await;
        peer.0.set_nodelay(true).unwrap();
        peer.send(first).await;
        peer.send(rest).await;
        assert_eq!(peer.status().await, Some(200));
    }
}

#[actix_web::test]
async fn a_client_that_sends_before_it_listens_sees_that_it_was_refused() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send(&post("/refuse", LIMIT)).await;
    peer.send(&"x".repeat(LIMIT)).await;
    assert_eq!(peer.status().await, Some(401));
}

#[actix_web::test]
async fn a_refused_client_that_goes_on_sending_is_cut_off() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("POST /refuse HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        .await;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(1 << 16));
    for _ in 0..HUGE >> 16 {
        peer.push(chunk.as_bytes()).await;
    }
    peer.read_to_end().await;
}

#[actix_web::test]
async fn bytes_in_flight_are_bounded_and_who_holds_them_longest_makes_room() {
    let server = TestServer::start(HttpConfig {
        max_bytes_in_flight: LIMIT,
        ..generous()
    });
    let mut stuck = Peer::connect(&server).await;
    stuck.send("GET /huge HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let mut first = [0; 1];
    stuck.0.peek(&mut first).await.unwrap();
    let mut small = Peer::connect(&server).await;
    small.send(&post("/echo", 2)).await;
    small.send("ab").await;
    assert_eq!(small.status().await, Some(200));
    let mut refused = false;
    // At first the answer may still be under way.
    loop {
        let mut peer = Peer::connect(&server).await;
        peer.send(&post("/echo", NOT_SMALL)).await;
        peer.push(&vec![b'x'; NOT_SMALL]).await;
        match peer.status().await {
            Some(503) => refused = true,
            status => {
                assert_eq!(status, Some(200));
                break;
            }
        }
        tokio::task::yield_now().await;
    }
    assert!(refused);
    server.answer_dropped().await;
}

#[actix_web::test]
async fn a_body_counts_until_its_request_is_answered() {
    let server = TestServer::start(HttpConfig {
        max_bytes_in_flight: LIMIT,
        ..generous()
    });
    // As much as one client may hold.
    let mut first = Peer::connect(&server).await;
    first.send(&post("/keep", LIMIT / 4)).await;
    first.push(&vec![b'x'; LIMIT / 4]).await;
    server.body_kept().await;
    let mut second = Peer::connect(&server).await;
    second.send(&post("/echo", NOT_SMALL)).await;
    second.push(&vec![b'x'; NOT_SMALL]).await;
    assert_eq!(second.status().await, Some(503));
    server.gate.add_permits(1);
    assert_eq!(first.status().await, Some(200));
    let mut third = Peer::connect(&server).await;
    third.send(&post("/echo", NOT_SMALL)).await;
    third.push(&vec![b'x'; NOT_SMALL]).await;
    assert_eq!(third.status().await, Some(200));
}
